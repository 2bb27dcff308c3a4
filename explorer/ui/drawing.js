const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const made = tag === "figure" || tag === "figcaption" || tag === "ul" || tag === "li" || tag === "b" || tag === "span" ? document.createElement(tag) : document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const choose = (choice) => setTriggerValue("choice", choice);
  parentElement.querySelector(".drawings").replaceChildren(...data.drawings.map((each) => each.kind === "boxes" ? boxes(each) : graph(each, choose)));
}

function boxes({ title, labels, contents }) {
  const items = labels.map((label, place) => make("li", { class: contents[place] === null ? "sealed" : "open" }, make("b", {}, label), make("span", {}, contents[place] ?? "sealed")));
  return make("figure", {}, make("figcaption", {}, title), make("ul", { class: "boxes" }, ...items));
}

function graph({ title, edges, places, colours, lit, choices }, choose) {
  const at = (node) => places[node].map((part) => 20 + 260 * part);
  const picked = (name, element, label) => {
    if (!(name in choices)) return element;
    element.classList.add("choice");
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", label);
    element.addEventListener("click", () => choose(choices[name]));
    element.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(choices[name]); } });
    return element;
  };
  const lines = edges.map(([a, b]) => {
    const [x1, y1] = at(a), [x2, y2] = at(b), ends = { x1, y1, x2, y2 };
    return picked(`${a}-${b}`, make("g", { class: "edge" }, make("line", { class: "seen", ...ends }), make("line", { class: "hit", stroke: "transparent", ...ends })), `edge from ${a} to ${b}`);
  });
  const nodes = Object.keys(places).map((node) => {
    const [cx, cy] = at(node), colour = colours[node];
    const text = make("text", { x: cx, y: cy });
    text.textContent = colour === undefined ? node : `${node}${"ABC"[colour]}`;
    const classes = ["node", ...(colour === undefined ? [] : [`c${colour}`]), ...(lit.includes(Number(node)) ? ["lit"] : [])];
    return picked(node, make("g", { class: classes.join(" ") }, make("circle", { cx, cy, r: 13 }), text), `node ${node}`);
  });
  const said = `${title}: ${Object.keys(places).length} nodes; edges ${edges.map(([a, b]) => `${a}-${b}`).join(", ")}`;
  const picture = make("svg", { viewBox: "0 0 300 300", role: Object.keys(choices).length ? "group" : "img", "aria-label": said }, ...lines, ...nodes);
  return make("figure", {}, make("figcaption", {}, title), picture);
}
