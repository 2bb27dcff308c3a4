// Drawings of lesson games: graphs whose nodes and edges can be chosen, and sealed boxes.

import { make, svg, written } from "./elements.js";
import { tr } from "./words.js";

// `choose` takes the name of the choice that was made in a drawing.
export function pictures(drawings, choose) {
  return make(
    "div",
    { class: "drawings" },
    ...drawings.map((each) => (each.kind === "boxes" ? boxes(each) : graph(each, choose))),
  );
}

function boxes({ title, labels, contents }) {
  const items = labels.map((label, place) =>
    make(
      "li",
      { class: contents[place] === null ? "sealed" : "open" },
      make("b", { text: label }),
      make("span", { text: contents[place] ?? tr("sealed") }),
    ),
  );
  return make(
    "figure",
    {},
    make("figcaption", { text: title }),
    make("ul", { class: "boxes" }, ...items),
  );
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
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(choices[name]);
      }
    });
    return element;
  };
  const lines = edges.map(([a, b]) => {
    const [x1, y1] = at(a),
      [x2, y2] = at(b),
      ends = { x1, y1, x2, y2 };
    return picked(
      `${a}-${b}`,
      svg(
        "g",
        { class: "edge" },
        svg("line", { class: "seen", ...ends }),
        svg("line", { class: "hit", stroke: "transparent", ...ends }),
      ),
      tr("edge from {a} to {b}", { a, b }),
    );
  });
  const nodes = Object.keys(places).map((node) => {
    const [cx, cy] = at(node),
      colour = colours[node];
    const text = svg("text", { x: cx, y: cy });
    written(text, colour === undefined ? node : `${node}${"ABC"[colour]}`);
    const classes = [
      "node",
      ...(colour === undefined ? [] : [`c${colour}`]),
      ...(lit.includes(Number(node)) ? ["lit"] : []),
    ];
    return picked(
      node,
      svg("g", { class: classes.join(" ") }, svg("circle", { cx, cy, r: 13 }), text),
      tr("node {node}", { node }),
    );
  });
  const said = tr("{title}: {n} nodes; edges {edges}", {
    title,
    n: Object.keys(places).length,
    edges: edges.map(([a, b]) => `${a}-${b}`).join(", "),
  });
  const picture = svg(
    "svg",
    {
      viewBox: "0 0 300 300",
      role: Object.keys(choices).length ? "group" : "img",
      "aria-label": said,
    },
    ...lines,
    ...nodes,
  );
  return make("figure", {}, make("figcaption", { text: title }), picture);
}
