// The move strip: all positions with their speakers and verdicts, between Back and Next. Arrow keys
// move between positions. Two variations can be compared from where they branch. A player may take
// the last move back: `undo` is the position at which it was made, null without one, and left out
// where no move can be taken back.

import { make, mounting, svg, written } from "./elements.js";
import { isDark } from "./light.js";
import { badge } from "./table_parts.js";

const COLUMN = 40,
  ROW = 38,
  FROM = 20,
  TOP = 14;
// Elements in which arrow keys have their own meaning.
const OWN_ARROWS =
  "input, textarea, select, dialog, [contenteditable], [role=slider], [role=tab], [role=radio], [role=option], [role=menuitem]";

class MoveStrip {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.way = [];
    this.back = make("button", {
      type: "button",
      class: "step",
      text: "Back",
      onclick: () => this.step("ArrowLeft"),
    });
    this.next = make("button", {
      type: "button",
      class: "step",
      text: "Next",
      onclick: () => this.step("ArrowRight"),
    });
    this.map = make("div", { class: "map" });
    this.beside = make("button", {
      type: "button",
      class: "beside",
      text: "Compare variations",
      onclick: () => this.compare(),
    });
    this.undo = make("button", {
      type: "button",
      class: "step undo",
      text: "Take back",
      title: "Take your last move back; the variation is kept",
      onclick: () => this.takeBack(),
    });
    this.done = make("span", { class: "unseen", role: "status" });
    this.alert = make("p", { class: "problem-with", role: "alert", hidden: true });
    root.replaceChildren(
      this.back,
      this.map,
      this.next,
      this.undo,
      this.beside,
      this.alert,
      this.done,
    );
    root.addEventListener("keydown", (event) => this.key(event));
    // A reader can use the keys anywhere on the page. For a player, going back changes the game, so
    // the keys work only in the strip.
    this.anywhere = (event) => {
      if (
        this.data?.replay &&
        !event.composedPath().some((each) => each === root || each.matches?.(OWN_ARROWS))
      )
        this.key(event, ["ArrowLeft", "ArrowRight"]);
    };
    document.addEventListener("keydown", this.anywhere);
  }

  destroy() {
    document.removeEventListener("keydown", this.anywhere);
    this.dialog?.close();
    this.root.replaceChildren();
  }

  show(data) {
    const {
      tree: { nodes, here, ahead = here },
      replay,
      you,
      undo,
    } = (this.data = data);
    const dark = isDark(this.root);
    this.rows = rowsOf(nodes);
    this.leaves = nodes.filter((node) => !nodes.some((other) => other.parent === node.id));
    // Next follows the variation from which one went back.
    if (!this.way.includes(here) || ahead !== here)
      this.way = pathTo(nodes, ahead).map((node) => node.id);
    const focused = this.root.getRootNode().activeElement;
    const held = this.walking || this.map.contains(focused);
    this.map.title = replay
      ? "Choose a position to read the game up to there"
      : "Choose a position to play on from there; all variations are kept";
    this.map.replaceChildren(drawTree(nodes, here, this.rows, (node) => this.go(node), data, dark));
    this.back.disabled = !this.led("ArrowLeft");
    this.next.disabled = !this.led("ArrowRight");
    this.undo.hidden = !you || undo === undefined || Boolean(replay);
    this.undo.disabled = undo === null;
    this.answered();
    this.beside.hidden = this.leaves.length < 2 || !nodes.some((node) => node.said);
    const mark = this.map.querySelector(".here");
    // A step that gets disabled passes the focus to the position. After a move was taken back, the
    // composer takes it.
    if (held || (focused?.disabled && focused !== this.undo && this.root.contains(focused)))
      queueMicrotask(() => mark?.focus({ preventScroll: true }));
    this.walking = false;
    this.reveal(nodes.find((node) => node.id === here));
  }

  // Only the strip scrolls, never the page.
  reveal(node) {
    this.map.scrollLeft = FROM + COLUMN * node.round - this.map.clientWidth / 2;
    this.map.scrollTop = TOP + ROW * this.rows.get(node.id) - this.map.clientHeight / 2;
  }

  key(event, keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
    if (
      event.defaultPrevented ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      !keys.includes(event.key) ||
      this.dialog?.open
    )
      return;
    event.preventDefault();
    // After a step in the map, the focus stays there; otherwise it does not move.
    this.step(event.key, this.map.contains(event.target));
  }

  step(key, walking = false) {
    const node = this.led(key);
    if (node) this.go(node, walking);
  }

  go(node, walking = false) {
    this.walking = walking;
    this.act({ goto: node.id });
    bring(this.root, node.round - 1);
  }

  takeBack() {
    this.taking = this.data.undo;
    this.act({ undo: this.data.undo });
  }

  act(act) {
    this.asked = `${Date.now()}`;
    this.send("act", { ...act, seat: this.data.seat, mark: this.asked });
  }

  // Says what became of the last act: it was refused, or the move was taken back.
  answered() {
    const { tree, undo, error } = this.data;
    const place = `${tree.here}/${undo}`;
    const refused = error && error.mark === this.asked;
    if (place === this.place && !refused) return;
    const taken = !refused && tree.here === this.taking;
    this.place = place;
    this.taking = this.asked = null;
    written(this.done, taken ? "Your move is taken back." : "");
    written(this.alert, refused ? error.message : "");
    this.alert.hidden = !refused;
  }

  // The target of an arrow key: back, forward, or the variation above or below.
  led(key) {
    const { nodes, here } = this.data.tree;
    const at = nodes.find((node) => node.id === here);
    if (key === "ArrowLeft") return nodes.find((each) => each.id === at.parent);
    const after = nodes.filter((each) => each.parent === here);
    if (key === "ArrowRight") return after.find((each) => this.way.includes(each.id)) || after[0];
    const side = key === "ArrowUp" ? -1 : 1,
      row = (node) => side * this.rows.get(node.id);
    return nodes
      .filter((each) => each.round === at.round && row(each) > row(at))
      .sort((a, b) => row(a) - row(b))[0];
  }

  compare() {
    this.dialog = compare(
      this.root,
      this.data.tree.nodes,
      this.leaves,
      this.data,
      isDark(this.root),
    );
  }
}

export const mount = mounting(MoveStrip);

function pathTo(nodes, id) {
  const byId = new Map(nodes.map((node) => [node.id, node])),
    found = [];
  for (let node = byId.get(id); node; node = byId.get(node.parent)) found.unshift(node);
  return found;
}

function bring(root, number) {
  root.dispatchEvent(
    new CustomEvent("nip-round", { detail: number, bubbles: true, composed: true }),
  );
}

// A position's label: the turn, its speakers, and how it ended.
function saying(node, agents, here) {
  if (node.parent === null) return `The beginning${node.id === here ? ", you are here" : ""}`;
  const who = node.speakers
    .map((agent) => (agent === null ? "somebody" : agents[agent].name))
    .join(" and ");
  const end = node.over ? (node.verdict ? `, verdict ${node.verdict}` : ", no verdict") : "";
  return `Turn ${node.round}${who ? `: ${who}` : ""}${end}${node.id === here ? ", you are here" : ""}`;
}

// A position shares its row with its first successor; later ones begin new rows.
function rowsOf(nodes) {
  const rows = new Map(),
    met = new Set();
  let used = 0;
  for (const node of nodes) {
    const first = node.parent === null || !met.has(node.parent);
    met.add(node.parent);
    rows.set(node.id, node.parent === null ? used++ : first ? rows.get(node.parent) : used++);
  }
  return rows;
}

// Turns from left to right, a row for each variation.
function drawTree(nodes, here, rows, go, { agents }, dark) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const x = (node) => FROM + COLUMN * node.round,
    y = (node) => TOP + ROW * rows.get(node.id);
  const ways = nodes
    .filter((node) => node.parent !== null)
    .map((node) => {
      const from = byId.get(node.parent);
      return svg("path", {
        d: `M${x(from)} ${y(from)} C${x(from) + COLUMN / 2} ${y(from)} ${x(node) - COLUMN / 2} ${y(node)} ${x(node)} ${y(node)}`,
      });
    });
  const marks = nodes.map((node) => {
    const said = saying(node, agents, here);
    const made = svg(
      "g",
      {
        tabindex: node.id === here ? 0 : -1,
        role: "button",
        "aria-label": said,
        "data-node": node.id,
        class: `${node.over ? "over" : ""} ${node.id === here ? "here" : ""}`,
        ...(node.id === here ? { "aria-current": "true" } : {}),
      },
      ...mark(node, x(node), y(node), agents, dark),
    );
    const title = svg("title", {});
    written(title, said);
    made.append(title);
    made.addEventListener("click", () => go(node));
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      go(node);
    });
    return made;
  });
  const width = 2 * FROM + COLUMN * Math.max(...nodes.map((node) => node.round)),
    height = ROW * (1 + Math.max(...rows.values())) + 2;
  return svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": "All variations of this episode",
    },
    ...ways,
    ...marks,
  );
}

// A position: a badge with the speaker's colour and letter, or the verdict's sign.
function mark(node, x, y, agents, dark) {
  const text = (content, kind = "", fill = null) => {
    const made = svg("text", { x, y, class: kind });
    written(made, content);
    if (fill) made.style.fill = fill;
    return made;
  };
  const under = svg("text", { x, y: y + 18, class: "number" });
  written(under, node.parent === null ? "" : node.round);
  if (node.over)
    return [
      svg("rect", { x: x - 11, y: y - 9, width: 22, height: 18, rx: 5 }),
      text(node.verdict === "accept" ? "✓" : node.verdict === "reject" ? "✕" : "–", "sign"),
      under,
    ];
  const known = node.speakers.filter((agent) => agent !== null);
  if (node.speakers.length !== 1 || !known.length)
    return [
      svg("circle", { cx: x, cy: y, r: 9 }),
      text(
        node.speakers.length > 1
          ? node.speakers.length
          : known.length || !node.speakers.length
            ? ""
            : "?",
        "few",
      ),
      under,
    ];
  const [fill, ink] = dark ? agents[known[0]].dark : agents[known[0]].light;
  const shape = svg("rect", { x: x - 13, y: y - 9, width: 26, height: 18, rx: 5 });
  shape.style.fill = fill;
  return [shape, text(agents[known[0]].label, "label", ink), under];
}

// -- comparing two variations ---------------------------------------------------------------------

function compare(root, nodes, leaves, { agents }, dark) {
  const path = (leaf) => pathTo(nodes, leaf.id);
  const number = (leaf) => leaves.indexOf(leaf) + 1;
  const chosen = leaves.slice(-2);
  const body = make("div", { class: "sides-by" });
  const draw = () => {
    const [one, other] = chosen.map(path);
    let parted = 0;
    while (one[parted + 1] && one[parted + 1] === other[parted + 1]) parted++;
    const rest = [one.slice(parted + 1), other.slice(parted + 1)];
    body.replaceChildren(
      make("p", {
        class: "hint",
        text: parted
          ? `They are the same up to turn ${one[parted].round}.`
          : "They differ from the beginning.",
      }),
      ...Array.from({ length: Math.max(rest[0].length, rest[1].length) }, (_, place) =>
        make(
          "div",
          { class: "pair" },
          ...rest.map((line, side) => cell(line[place], rest[1 - side][place], agents, dark)),
        ),
      ),
    );
  };
  const choose = (side) =>
    make(
      "select",
      {
        "aria-label": side ? "The variation on the right" : "The variation on the left",
        onchange: (event) => {
          chosen[side] = leaves[event.target.value];
          draw();
        },
      },
      ...leaves.map((leaf, index) =>
        make("option", {
          value: index,
          selected: leaf === chosen[side],
          text: `Variation ${number(leaf)}: ${leaf.over ? leaf.verdict || "no verdict" : "in progress"}, ${leaf.round} turns`,
        }),
      ),
    );
  const made = make(
    "dialog",
    { class: "compare", "aria-label": "Two variations side by side" },
    make("form", { method: "dialog" }, make("button", { text: "Close" })),
    make("div", { class: "pair heads" }, choose(0), choose(1)),
    body,
  );
  draw();
  root.append(made);
  made.addEventListener("close", () => made.remove());
  made.showModal();
  return made;
}

// The messages of a turn in one variation, with differences to the other marked.
function cell(node, other, agents, dark) {
  if (!node) return make("div", { class: "side gone" });
  const texts = new Map(
    (other?.said || []).map(([channel, sender, text]) => [`${channel}/${sender}`, text]),
  );
  const ends = node.over
    ? [
        make(
          "p",
          { class: node.verdict === other?.verdict && other?.over ? "" : "differs" },
          make("strong", { text: node.verdict ? `Verdict: ${node.verdict}` : "No verdict" }),
        ),
      ]
    : [];
  return make(
    "div",
    { class: "side" },
    make("small", { text: `Turn ${node.round}` }),
    ...node.said
      .filter(
        ([, sender, text], at) =>
          node.said.findIndex(([, who, said]) => who === sender && said === text) === at,
      )
      .map(([channel, sender, text]) =>
        make(
          "p",
          {},
          sender === null ? "Somebody: " : badge(agents[sender], sender, dark),
          " ",
          ...marked(text, texts.get(`${channel}/${sender}`)),
        ),
      ),
    ...ends,
  );
}

const MOST = 400; // the most words for a comparison; longer texts are marked as a whole

// A text in which words that the other lacks are marked, by the longest common subsequence.
function marked(text, other) {
  if (other === undefined) return [make("mark", { text })];
  if (text === other) return [text];
  const mine = text.split(/(\s+)/),
    theirs = other.split(/(\s+)/);
  if (mine.length > MOST || theirs.length > MOST) return [make("mark", { text })];
  const common = Array.from({ length: mine.length + 1 }, () => new Uint16Array(theirs.length + 1));
  for (let a = mine.length - 1; a >= 0; a--)
    for (let b = theirs.length - 1; b >= 0; b--)
      common[a][b] =
        mine[a] === theirs[b]
          ? common[a + 1][b + 1] + 1
          : Math.max(common[a + 1][b], common[a][b + 1]);
  const parts = [];
  const put = (piece, differs) => {
    const last = parts[parts.length - 1];
    if (last && last[1] === differs) last[0] += piece;
    else parts.push([piece, differs]);
  };
  for (let a = 0, b = 0; a < mine.length; ) {
    if (b < theirs.length && mine[a] === theirs[b]) {
      put(mine[a++], false);
      b++;
    } else if (b < theirs.length && common[a][b + 1] >= common[a + 1][b]) b++;
    else put(mine[a++], true);
  }
  return parts.map(([piece, differs]) =>
    differs && piece.trim() ? make("mark", { text: piece }) : piece,
  );
}
