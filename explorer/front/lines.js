// The lines of an episode: every position that was played, to go back to and play on from.

import { make, svg } from "./table_parts.js";

export function mount(root, send) {
  return {
    show({ tree: { nodes, here }, seat }) {
      const go = (node) => send("act", { goto: node, seat, mark: `${Date.now()}` });
      root.replaceChildren(make("p", { class: "hint", text: "Go to any position and play on from there: every line is kept." }), drawTree(nodes, here, go));
    },
    destroy() { root.replaceChildren(); },
  };
}

// The tree of lines: rounds from left to right, a row for each line.
function drawTree(tree, here, go) {
  const rows = new Map();
  let used = 0;
  // A position shares its row with the first that came after it; a later one begins a new row.
  for (const node of tree) {
    const first = node.parent === null || !tree.some((other) => other.parent === node.parent && other.id < node.id);
    rows.set(node.id, node.parent === null ? used++ : first ? rows.get(node.parent) : used++);
  }
  const x = (node) => 20 + 34 * node.round, y = (node) => 20 + 34 * rows.get(node.id);
  const byId = new Map(tree.map((node) => [node.id, node]));
  const ways = tree.filter((node) => node.parent !== null).map((node) => {
    const from = byId.get(node.parent);
    return svg("path", { d: `M${x(from)} ${y(from)} C${x(from) + 17} ${y(from)} ${x(node) - 17} ${y(node)} ${x(node)} ${y(node)}` });
  });
  const dots = tree.map((node) => {
    const said = `Line ${rows.get(node.id) + 1}, after ${node.round} rounds${node.over ? ", the end" : ""}${node.id === here ? ", you are here" : ""}`;
    const dot = svg("g", { tabindex: 0, role: "button", "aria-label": said, class: `${node.over ? "over" : ""} ${node.id === here ? "here" : ""}` }, svg("circle", { cx: x(node), cy: y(node), r: 9 }));
    dot.addEventListener("click", () => go(node.id));
    dot.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(node.id); } });
    return dot;
  });
  const width = 40 + 34 * Math.max(...tree.map((node) => node.round)), height = 6 + 34 * used;
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "All lines of this episode" }, ...ways, ...dots);
}
