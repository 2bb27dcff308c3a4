// The lines of an episode: every position that was played, with who spoke and what came of it.
// Arrow keys step from position to position; two lines stand side by side from where they part.

import { make, svg, written } from "./elements.js";
import { isDark } from "./light.js";
import { badge } from "./table_parts.js";

const COLUMN = 46, ROW = 40, FROM = 24;

export function mount(root, send) {
  let dialog = null, walking = false;
  return {
    show(data) {
      const { tree: { nodes, here }, seat } = data;
      // After a step with the arrow keys the focus stays here; else it goes to the composer.
      const go = (node, byArrow = false) => {
        walking = byArrow;
        send("act", { goto: node.id, seat, mark: `${Date.now()}` });
        bring(root, node.round - 1);
      };
      const dark = isDark(root);
      const leaves = nodes.filter((node) => !nodes.some((other) => other.parent === node.id));
      root.replaceChildren(
        make("p", { class: "hint", text: "Go to any position and play on from there: every line is kept. Arrow keys step." }),
        make("div", { class: "map" }, drawTree(nodes, here, go, data, dark)),
        ...(leaves.length > 1 && nodes.some((node) => node.said) ? [make("button", { type: "button", text: "Lines side by side", onclick: () => { dialog = compare(root, nodes, leaves, data, dark); } })] : []));
      root.querySelector(".here")?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
      if (walking) queueMicrotask(() => root.querySelector(`[data-node="${here}"]`)?.focus({ preventScroll: true }));
    },
    destroy() { dialog?.close(); root.replaceChildren(); },
  };
}

function bring(root, number) {
  root.dispatchEvent(new CustomEvent("nip-round", { detail: number, bubbles: true, composed: true }));
}

// What a position is: the round, who spoke in it, and how it ended.
function saying(node, agents, here) {
  if (node.parent === null) return `The beginning${node.id === here ? ", you are here" : ""}`;
  const who = node.speakers.map((agent) => agent === null ? "somebody" : agents[agent].name).join(" and ");
  const end = node.over ? node.verdict ? `, verdict ${node.verdict}` : ", no verdict" : "";
  return `Round ${node.round}${who ? `: ${who}` : ""}${end}${node.id === here ? ", you are here" : ""}`;
}

// Rounds from left to right, a row for each line.
function drawTree(nodes, here, go, { agents }, dark) {
  const rows = new Map(), byId = new Map(nodes.map((node) => [node.id, node]));
  let used = 0;
  // A position shares its row with the first that came after it; a later one begins a new row.
  const met = new Set();
  for (const node of nodes) {
    const first = node.parent === null || !met.has(node.parent);
    met.add(node.parent);
    rows.set(node.id, node.parent === null ? used++ : first ? rows.get(node.parent) : used++);
  }
  const x = (node) => FROM + COLUMN * node.round, y = (node) => FROM + ROW * rows.get(node.id);
  const ways = nodes.filter((node) => node.parent !== null).map((node) => {
    const from = byId.get(node.parent);
    return svg("path", { d: `M${x(from)} ${y(from)} C${x(from) + COLUMN / 2} ${y(from)} ${x(node) - COLUMN / 2} ${y(node)} ${x(node)} ${y(node)}` });
  });
  const marks = nodes.map((node) => {
    const said = saying(node, agents, here);
    const made = svg("g", { tabindex: node.id === here ? 0 : -1, role: "button", "aria-label": said, "data-node": node.id, class: `${node.over ? "over" : ""} ${node.id === here ? "here" : ""}`,
      ...(node.id === here ? { "aria-current": "true" } : {}) }, ...mark(node, x(node), y(node), agents, dark));
    const title = svg("title", {});
    written(title, said);
    made.append(title);
    made.addEventListener("click", () => go(node));
    made.addEventListener("keydown", (event) => {
      const chosen = event.key === "Enter" || event.key === " ";
      const next = chosen ? node : stepped(nodes, rows, node, event.key);
      if (next === undefined) return;
      event.preventDefault();
      if (next) go(next, !chosen);
    });
    return made;
  });
  const width = 2 * FROM + COLUMN * Math.max(0, ...nodes.map((node) => node.round)), height = 2 * FROM + ROW * (used - 1);
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "All lines of this episode" }, ...ways, ...marks);
}

// Where an arrow key leads: back, on, or to the line above or below; undefined for other keys.
function stepped(nodes, rows, node, key) {
  const others = (step) => nodes.filter((each) => each.round === node.round && Math.sign(rows.get(each.id) - rows.get(node.id)) === step)
    .sort((a, b) => step * (rows.get(a.id) - rows.get(b.id)))[0] || null;
  if (key === "ArrowLeft") return nodes.find((each) => each.id === node.parent) || null;
  if (key === "ArrowRight") return nodes.find((each) => each.parent === node.id) || null;
  if (key === "ArrowUp") return others(-1);
  if (key === "ArrowDown") return others(1);
  return undefined;
}

// A position: a badge with the speaker's colour and letter, or the verdict's sign.
function mark(node, x, y, agents, dark) {
  const text = (content, kind = "", fill = null) => { const made = svg("text", { x, y, class: kind }); written(made, content); if (fill) made.style.fill = fill; return made; };
  const under = svg("text", { x, y: y + 20, class: "number" });
  written(under, node.parent === null ? "" : node.round);
  if (node.over) return [svg("rect", { x: x - 11, y: y - 9, width: 22, height: 18, rx: 5 }), text(node.verdict === "accept" ? "✓" : node.verdict === "reject" ? "✕" : "–", "sign"), under];
  const known = node.speakers.filter((agent) => agent !== null);
  if (node.speakers.length !== 1 || !known.length) return [svg("circle", { cx: x, cy: y, r: 9 }), text(node.speakers.length > 1 ? node.speakers.length : known.length || !node.speakers.length ? "" : "?", "few"), under];
  const [fill, ink] = dark ? agents[known[0]].dark : agents[known[0]].light;
  const shape = svg("rect", { x: x - 13, y: y - 9, width: 26, height: 18, rx: 5 });
  shape.style.fill = fill;
  return [shape, text(agents[known[0]].label, "label", ink), under];
}

// -- two lines side by side -----------------------------------------------------------------------

function compare(root, nodes, leaves, { agents }, dark) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const path = (leaf) => { const found = []; for (let node = leaf; node; node = byId.get(node.parent)) found.unshift(node); return found; };
  const number = (leaf) => leaves.indexOf(leaf) + 1;
  const chosen = leaves.slice(-2);
  const body = make("div", { class: "sides-by" });
  const draw = () => {
    const [one, other] = chosen.map(path);
    let parted = 0;
    while (one[parted + 1] && one[parted + 1] === other[parted + 1]) parted++;
    const rest = [one.slice(parted + 1), other.slice(parted + 1)];
    body.replaceChildren(make("p", { class: "hint", text: parted ? `They are the same up to round ${one[parted].round}.` : "They part at the beginning." }),
      ...Array.from({ length: Math.max(rest[0].length, rest[1].length) }, (_, place) => make("div", { class: "pair" },
        ...rest.map((line, side) => cell(line[place], rest[1 - side][place], agents, dark)))));
  };
  const choose = (side) => make("select", { "aria-label": side ? "The right line" : "The left line", onchange: (event) => { chosen[side] = leaves[event.target.value]; draw(); } },
    ...leaves.map((leaf, index) => make("option", { value: index, selected: leaf === chosen[side], text: `Line ${number(leaf)}: ${leaf.over ? leaf.verdict || "no verdict" : "in progress"}, ${leaf.round} rounds` })));
  const made = make("dialog", { class: "compare", "aria-label": "Two lines side by side" },
    make("form", { method: "dialog" }, make("button", { text: "Close" })), make("div", { class: "pair heads" }, choose(0), choose(1)), body);
  draw();
  root.append(made);
  made.addEventListener("close", () => made.remove());
  made.showModal();
  return made;
}

// What was said in a round of one line; what the other has not got is marked.
function cell(node, other, agents, dark) {
  if (!node) return make("div", { class: "side gone" });
  const texts = new Map((other?.said || []).map(([channel, sender, text]) => [`${channel}/${sender}`, text]));
  const ends = node.over ? [make("p", { class: node.verdict === other?.verdict && other?.over ? "" : "differs" }, make("strong", { text: node.verdict ? `Verdict: ${node.verdict}` : "No verdict" }))] : [];
  return make("div", { class: "side" }, make("small", { text: `Round ${node.round}` }),
    ...node.said.filter(([, sender, text], at) => node.said.findIndex(([, who, said]) => who === sender && said === text) === at).map(([channel, sender, text]) => make("p", {}, sender === null ? "Somebody: " : badge(agents[sender], sender, dark), " ", ...marked(text, texts.get(`${channel}/${sender}`)))), ...ends);
}

const MOST = 400; // words, above which a text is marked as a whole

// A text with the words marked that the other has not got, by the longest common run of words.
function marked(text, other) {
  if (other === undefined) return [make("mark", { text })];
  if (text === other) return [text];
  const mine = text.split(/(\s+)/), theirs = other.split(/(\s+)/);
  if (mine.length > MOST || theirs.length > MOST) return [make("mark", { text })];
  const common = Array.from({ length: mine.length + 1 }, () => new Uint16Array(theirs.length + 1));
  for (let a = mine.length - 1; a >= 0; a--) for (let b = theirs.length - 1; b >= 0; b--) common[a][b] = mine[a] === theirs[b] ? common[a + 1][b + 1] + 1 : Math.max(common[a + 1][b], common[a][b + 1]);
  const parts = [];
  const put = (piece, differs) => { const last = parts[parts.length - 1]; if (last && last[1] === differs) last[0] += piece; else parts.push([piece, differs]); };
  for (let a = 0, b = 0; a < mine.length;) {
    if (b < theirs.length && mine[a] === theirs[b]) { put(mine[a++], false); b++; } else if (b < theirs.length && common[a][b + 1] >= common[a + 1][b]) b++;
    else put(mine[a++], true);
  }
  return parts.map(([piece, differs]) => differs && piece.trim() ? make("mark", { text: piece }) : piece);
}
