// Two graphs on one circle: drag nodes until the lines match, then see which drawings shuffled
// copies produce.

import { set, svg, written } from "./elements.js";
import {
  arrows,
  COUNT,
  flag,
  handle,
  isStill,
  list,
  maybe,
  onCircle,
  playable,
  Stage,
  whole,
} from "./touch.js";

const WIDE = 334,
  NODES = 6,
  MIDDLE = { x: 167, y: 112 },
  RADIUS = 82,
  ACROSS = 14,
  CELL = 23,
  LEFT = 6,
  WALL = 240,
  SHORT = 222,
  TALL = 372,
  TOSSES = 60;
const CIRCLE = onCircle(NODES, MIDDLE, RADIUS);

class Twins {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: SHORT,
      name: "Two graphs, and the drawings of their copies",
    });
    this.verdicts = [
      ["They are the same", true],
      ["They differ", false],
    ].map(([text, same]) => this.stage.button(text, () => this.judge(same)));
    this.toss = this.stage.button(`Drop ${TOSSES} shuffled copies`, () => this.drop());
    this.other = this.stage.button("Another pair", () => {
      this.which = 1 - this.which;
      this.restart();
    });
  }

  show(data) {
    this.data = data;
    this.which = Number(Math.random() < 0.5);
    this.draw();
    this.begin();
    const node = whole(NODES - 1),
      { length } = data.slots;
    const fields = {
      which: whole(1),
      places: list(node, NODES),
      best: whole(NODES),
      moved: flag,
      said: maybe(flag),
      landed: list(list(COUNT, 2), length),
      dropped: COUNT,
      slot: maybe(whole(length - 1)),
    };
    this.stage.keep(data.keep, this, fields, ({ places }) => new Set(places).size === NODES);
    this.update();
  }

  get pair() {
    return this.data.pairs[this.which];
  }

  restart() {
    this.begin();
    this.update();
  }

  // The position on the circle of each node of the second graph.
  begin() {
    this.places = Array.from({ length: NODES }, (_, node) => node);
    this.best = 0;
    this.moved = false;
    this.said = null;
    this.landed = this.data.slots.map(() => [0, 0]);
    this.dropped = 0;
    this.slot = null;
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    const lines = (name) => Array.from({ length: NODES }, () => part("line", { class: name }));
    this.first = lines("one");
    this.second = lines("two");
    this.nodes = CIRCLE.map((_, node) => {
      const letter = svg("text", { y: 5, "text-anchor": "middle", "font-size": 13 });
      const group = part(
        "g",
        {},
        svg("circle", { r: 22, fill: "transparent" }),
        svg("circle", { r: 13, class: "node" }),
        letter,
        svg("circle", { r: 18, class: "ring" }),
      );
      written(letter, node + 1);
      handle(this.stage, group, "", {
        drag: (point) => this.carry(node, point),
        drop: () => this.update(),
        key: arrows((by) => this.lay(node, (this.places[node] + by + NODES) % NODES)),
      });
      return group;
    });
    this.wall = part("g", { class: "wall" });
    this.caption = svg("text", { x: LEFT, y: WALL - 8, "font-size": 12, class: "quiet" });
    this.wall.append(this.caption);
    this.cells = this.data.slots.map((_, slot) => {
      const { x, y } = this.cell(slot);
      const bars = ["from1", "from2"].map((name, side) =>
        svg("rect", { x: x + 2 + side * 9, width: 8, class: name }),
      );
      this.wall.append(
        svg("rect", { x, y, width: CELL - 2, height: CELL - 2, rx: 3, class: "slot" }),
        ...bars,
      );
      return bars;
    });
    this.chosen = svg("rect", { width: CELL, height: CELL, rx: 4, class: "chosen" });
    const all = svg("rect", {
      x: LEFT,
      y: WALL,
      width: ACROSS * CELL,
      height: 5 * CELL,
      fill: "transparent",
    });
    const over = svg(
      "g",
      {},
      all,
      svg("rect", {
        x: LEFT - 3,
        y: WALL - 3,
        width: ACROSS * CELL + 4,
        height: 5 * CELL + 4,
        rx: 5,
        class: "ring",
      }),
    );
    this.wall.append(this.chosen, over);
    this.pointer = over;
    const point = ({ x, y }) =>
      this.look(Math.floor((y - WALL) / CELL) * ACROSS + Math.floor((x - LEFT) / CELL));
    handle(this.stage, over, "", {
      tap: (at) => (at ? point(at) : this.look((this.slot ?? -1) + 1)),
      drag: point,
      key: arrows((by) => this.look((this.slot ?? -by) + by), {
        ArrowLeft: -1,
        ArrowRight: 1,
        ArrowUp: -ACROSS,
        ArrowDown: ACROSS,
      }),
    });
  }

  cell(slot) {
    return { x: LEFT + (slot % ACROSS) * CELL, y: WALL + Math.floor(slot / ACROSS) * CELL };
  }

  // A dragged node swaps places with a node that it comes near.
  carry(node, point) {
    const near = CIRCLE.findIndex(({ x, y }) => Math.hypot(x - point.x, y - point.y) < 34);
    if (near >= 0 && near !== this.places[node]) this.lay(node, near);
    this.nodes[node].setAttribute("transform", `translate(${point.x} ${point.y})`);
  }

  lay(node, place) {
    const other = this.places.indexOf(place);
    this.places[other] = this.places[node];
    this.places[node] = place;
    this.moved = true;
    this.update();
  }

  judge(same) {
    this.said = same;
    this.update();
  }

  // Both graphs' copies are drawn by the same rule: every renaming is equally likely.
  drop() {
    for (let n = 0; n < TOSSES; n += 1) {
      const coin = Number(Math.random() < 0.5),
        lands = this.pair.lands[coin];
      this.landed[lands[Math.floor(Math.random() * lands.length)]][coin] += 1;
    }
    this.dropped += TOSSES;
    this.update();
    if (!isStill()) this.wall.animate([{ opacity: 0.3 }, { opacity: 1 }], 250);
  }

  look(slot) {
    if (slot < 0 || slot >= this.data.slots.length) return;
    this.slot = slot;
    this.update();
  }

  met() {
    const first = new Set(this.pair.graphs[0].map(String));
    return this.pair.graphs[1].map((edge) =>
      first.has(String(edge.map((node) => this.places[node]).sort())),
    );
  }

  update() {
    const at = CIRCLE,
      [one, two] = this.pair.graphs,
      met = this.met();
    const line = (element, from, to) =>
      set(element, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
    // A selected copy replaces the second graph.
    const seen = this.slot === null ? null : this.data.slots[this.slot];
    one.forEach(([a, b], n) => line(this.first[n], at[a], at[b]));
    two.forEach(([a, b], n) => {
      const [from, to] = seen ? seen[n] : [this.places[a], this.places[b]];
      line(this.second[n], at[from], at[to]);
      this.second[n].setAttribute("class", met[n] && !seen ? "two met" : "two");
    });
    this.first.forEach((each) => {
      each.style.display = seen ? "none" : "";
    });
    this.nodes.forEach((group, node) => {
      const { x, y } = at[seen ? node : this.places[node]];
      set(group, {
        transform: `translate(${x} ${y})`,
        "aria-label": `Node ${node + 1} of the second graph, at place ${this.places[node] + 1}. Arrow keys move it on.`,
      });
    });
    const count = met.filter(Boolean).length;
    this.best = Math.max(this.best, count);
    this.cells.forEach((bars, slot) =>
      bars.forEach((bar, side) => {
        const high = Math.min(CELL - 5, 3 * this.landed[slot][side]);
        set(bar, { height: high, y: this.cell(slot).y + CELL - 3 - high });
      }),
    );
    this.chosen.style.display = seen ? "" : "none";
    if (seen)
      for (const [name, value] of Object.entries(this.cell(this.slot)))
        this.chosen.setAttribute(name, value - 1);
    this.pointer.setAttribute(
      "aria-label",
      seen
        ? `Drawing ${this.slot + 1} of ${this.cells.length}: ${this.landed[this.slot].join(" and ")} copies. Arrow keys choose another.`
        : "All drawings: arrow keys choose one",
    );
    written(this.caption, `All ${this.cells.length} drawings: blue from graph 1, orange from 2`);
    // First the nodes are dragged, then one guesses, and only then copies are drawn.
    for (const button of this.verdicts) button.hidden = !this.moved || this.said !== null;
    this.toss.hidden = this.other.hidden = this.said === null;
    this.wall.style.display = this.dropped ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 ${WIDE} ${this.dropped ? TALL : SHORT}`);
    this.stage.say(this.words(count));
  }

  words(count) {
    const { same, most, lands } = this.pair,
      [one, two] = lands.map((each) => each.length);
    const judged = this.said === same ? "Right" : "No";
    if (this.slot !== null) {
      const [from1, from2] = this.landed[this.slot];
      const whose = same
        ? "Either graph can give this drawing, with the same chance: the best that a prover can do is to guess."
        : `Only graph ${lands[0].includes(this.slot) ? 1 : 2} can give this drawing: an honest prover is never wrong.`;
      return `Here landed ${from1} ${from1 === 1 ? "copy" : "copies"} of graph 1 and ${from2} of graph 2. ${whose}`;
    }
    if (this.dropped && same)
      return `${this.dropped} copies, and both graphs rain onto the same ${one} drawings, each as often. So every prover is right with chance exactly 1/2. Tap a drawing: whose is it?`;
    if (this.dropped)
      return `${this.dropped} copies: graph 1 has ${one} drawings, graph 2 has ${two} others, and none is shared. Tap a drawing: whose is it?`;
    if (this.said !== null && same)
      return `${judged}: they are the same graph. ${count === most ? "Your renaming proves it" : `Some renaming makes all ${most} lines meet`}. Now toss a secret coin for each copy, and shuffle the nodes.`;
    if (this.said !== null)
      return `${judged}: they differ. Of all 720 renamings none makes more than ${most} of 6 lines meet, but to know it you must try them all. Now toss a secret coin for each copy, and shuffle the nodes.`;
    if (count === 6)
      return "All 6 lines meet: it is the same graph under other names, and this renaming is the proof.";
    if (!this.moved)
      return `Blue is graph 1, dashed is graph 2. Drag a node onto another place: can you make all 6 dashed lines lie on blue ones? Now ${count} do.`;
    return `${count} of 6 lines meet; your best is ${this.best}. Are they the same graph? Nobody knows a short proof that two graphs differ.`;
  }
}

export const mount = playable(Twins);
