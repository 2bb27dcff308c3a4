// Small parts of the table. Texts are always inserted as text, never as markup.

import { make, svg, written } from "./elements.js";
import { tr } from "./words.js";

// A text with its `quoted code` as code elements.
export function rich(tag, text, attributes = {}) {
  const parts = text
    .split(/(`[^`\n]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? make("code", { text: part.slice(1, -1) }) : part));
  return make(tag, attributes, ...parts);
}

// Lines within a sentence are joined; items of lists and lines of graphs ("A: B, C") stay separate.
// `nip_core/tasks/task.py` does the same for notebooks.
export function flowing(text) {
  return text.trim().replace(/([^.:!?\n])\n(?![\s\-*]|\d+[.)]\s|\w+:)/g, "$1 ");
}

// A seat's badge, with its name and its name in the protocol on hover.
export function badge(agent, technical, dark) {
  const [paper, ink] = dark ? agent.dark : agent.light;
  const made = make("span", {
    class: "badge",
    role: "img",
    "aria-label": agent.name,
    title: `${agent.name} (${technical})`,
    text: agent.label,
  });
  made.style.background = paper;
  made.style.color = ink;
  return made;
}

// A line of code whose wrapped rows keep its indentation.
export function hanging(made, line) {
  const width = line.match(/^ */)[0].length + 2;
  made.style.paddingLeft = `${width}ch`;
  made.style.textIndent = `-${width}ch`;
  return made;
}

const TOKEN =
  /(#[^\n]*)|("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\b/g;

// The lines of a Python text, each a list of [class, text].
function highlighted(source) {
  const lines = [[]];
  const put = (kind, text) =>
    text.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines[lines.length - 1].push([kind, part]);
    });
  let from = 0;
  for (const match of source.matchAll(TOKEN)) {
    put("", source.slice(from, match.index));
    put(match[1] ? "c" : match[2] ? "s" : "k", match[0]);
    from = match.index + match[0].length;
  }
  put("", source.slice(from));
  return lines;
}

export function codeLines(source, quote) {
  const made = make(
    "ol",
    { class: "code", "aria-label": tr("The solution; choose a line number to quote the line") },
    ...highlighted(source.replace(/\n$/, "")).map((line, index) => {
      const text = line.map(([, part]) => part).join("");
      const code = make(
        "code",
        {},
        ...line.map(([kind, part]) => (kind ? make("span", { class: kind, text: part }) : part)),
      );
      return make(
        "li",
        {},
        make("button", {
          type: "button",
          tabindex: index ? -1 : 0,
          text: index + 1,
          title: tr("Quote this line; arrow keys go from line to line"),
          "aria-label": tr("Quote line {number}", { number: index + 1 }),
          onclick: () => quote(index + 1, text.trim()),
        }),
        hanging(code, text),
      );
    }),
  );
  made.addEventListener("keydown", (event) => step(event, [...made.querySelectorAll("button")]));
  return made;
}

// Arrow keys move between buttons, which are one tab stop.
function step(event, buttons) {
  const at = buttons.indexOf(event.target);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined || !buttons[to]) return;
  event.preventDefault();
  for (const each of buttons) each.tabIndex = -1;
  buttons[to].tabIndex = 0;
  buttons[to].focus();
}

// Drawn, since not every machine has a character for it.
export function lock() {
  return svg(
    "svg",
    { class: "lock", viewBox: "0 0 12 14", "aria-hidden": "true" },
    svg("path", { d: "M3.2 6V4.2a2.8 2.8 0 0 1 5.6 0V6" }),
    svg("rect", { x: 1.6, y: 6, width: 8.8, height: 6.6, rx: 1.4 }),
  );
}

// A graph whose nodes highlight their neighbours, by pointer, touch and keyboard.
export function drawGraph(graph, layout) {
  const places = graph.layouts[layout].map(([x, y]) => [150 + 120 * x, 150 - 120 * y]);
  const edges = graph.edges.map(([a, b]) => {
    const [[x1, y1], [x2, y2]] = [places[a], places[b]];
    return svg("line", { x1, y1, x2, y2 });
  });
  const nodes = graph.nodes.map((name, index) => {
    const [cx, cy] = places[index];
    const neighbours = graph.edges
      .filter((edge) => edge.includes(index))
      .map(([a, b]) => graph.nodes[a === index ? b : a]);
    const text = svg("text", { x: cx, y: cy });
    written(text, name);
    return svg(
      "g",
      {
        tabindex: 0,
        role: "img",
        "aria-label": neighbours.length
          ? tr("{name}, joined to {others}", { name, others: neighbours.join(", ") })
          : tr("{name}, joined to nothing", { name }),
      },
      svg("circle", { cx, cy, r: 14 }),
      text,
    );
  });
  const light = (index) => {
    edges.forEach((line, at) => line.classList.toggle("lit", graph.edges[at].includes(index)));
    nodes.forEach((node, at) =>
      node.classList.toggle(
        "lit",
        at === index || graph.edges.some((edge) => edge.includes(at) && edge.includes(index)),
      ),
    );
  };
  nodes.forEach((node, index) => {
    for (const event of ["pointerenter", "focus", "click"])
      node.addEventListener(event, () => light(index));
    for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => light(-1));
  });
  return svg(
    "svg",
    {
      viewBox: "0 0 300 300",
      role: "group",
      "aria-label": tr("Graph {name}", { name: graph.name }),
    },
    ...edges,
    ...nodes,
  );
}

export function words(text) {
  return (text.trim().match(/\S+/g) || []).length;
}

// The claim about an input, the program's result, and the right result.
export function compared({ about, claimed, actual, expected }) {
  const row = (name, value, kind = "") =>
    value === null || value === undefined
      ? []
      : [make("dt", { text: name }), make("dd", { class: kind }, make("code", { text: value }))];
  return make(
    "dl",
    { class: "compared" },
    ...row(tr("About"), about),
    ...row(tr("Claimed"), claimed, "wrong"),
    ...row(tr("Actual"), actual),
    ...row(tr("Expected"), expected, "right"),
  );
}

// Underlines passages of a text across elements, ignoring the marks of quoted code.
export function underlined(
  element,
  passages,
  attributes = { class: "false", title: tr("This is false") },
) {
  for (const passage of passages) {
    const wanted = passage.replaceAll("`", ""),
      from = element.textContent.indexOf(wanted);
    if (!wanted || from < 0) continue;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT),
      pieces = [];
    for (let node, at = 0; (node = walker.nextNode()); at += node.length) {
      const start = Math.max(0, from - at),
        end = Math.min(node.length, from + wanted.length - at);
      if (start < end) pieces.push([node, start, end]);
    }
    for (const [node, start, end] of pieces) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      range.surroundContents(make("mark", attributes));
    }
  }
  return element;
}

// A reward, with its sign.
export function twoDecimals(number) {
  return number.toFixed(2).replace("-", "−");
}

export function signed(number) {
  return `${number > 0 ? "+" : ""}${+number.toFixed(4)}`.replace("-", "−");
}
