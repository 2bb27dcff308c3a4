// Two conversations, a prover's and one that you forge: can a friend find the real one?

import { svg, written } from "./elements.js";
import {
  COUNT,
  flag,
  handle,
  isStill,
  list,
  maybe,
  onCircle,
  PAINTS,
  playable,
  Stage,
  whole,
} from "./touch.js";

const WIDE = 334,
  HIGH = 344,
  MIDDLE = { x: 167, y: 104 },
  RADIUS = 78,
  TAPES = [12, 174],
  TOP = 222,
  ROW = 34,
  GAMES = 100;
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

const any = (list) => list[Math.floor(Math.random() * list.length)];

class Forgery {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: HIGH,
      name: "A map, the prover's tape and yours",
    });
    this.shuffles = true;
    this.ask = this.stage.button("Let a friend guess", () => this.name(this.tells(this.tapes)));
    this.swap = this.stage.button("Swap behind a curtain", () => {
      this.curtain = Math.floor(2 * Math.random());
      this.update();
    });
    this.sides = ["Left", "Right"].map((side, at) =>
      this.stage.button(`${side} is real`, () => this.name(at ^ this.curtain)),
    );
    this.many = this.stage.button(`${GAMES} forgers by chance`, () => this.run());
    this.order = this.stage.button("", () => {
      this.shuffles = !this.shuffles;
      this.clear();
    });
    this.again = this.stage.button("New tapes", () => this.restart());
  }

  show(data) {
    this.data = data;
    this.rounds = data.right.kept.length;
    this.draw();
    this.games = this.wins = 0;
    this.begin();
    const place = whole(data.edges.length - 1),
      colour = whole(2),
      said = (round) => place(round?.edge) && list(colour, 2)(round.colours);
    const fields = {
      shuffles: flag,
      names: list(colour, 3),
      tapes: list(list(said), 2),
      named: maybe(whole(1)),
      curtain: maybe(whole(1)),
      ran: flag,
      games: COUNT,
      wins: COUNT,
    };
    this.stage.keep(
      data.keep,
      this,
      fields,
      ({ tapes: [real, mine] }) => real.length === mine.length && mine.length <= this.rounds,
    );
    this.update();
  }

  clear() {
    this.games = this.wins = 0;
    this.restart();
  }

  // `named`: the tape that was taken for the real one. `curtain`: whether the tapes are swapped
  // while somebody beside you looks at them.
  begin() {
    this.names = any(ORDERS);
    this.tapes = [[], []];
    this.named = this.curtain = null;
    this.ran = false;
  }

  restart() {
    this.begin();
    this.update();
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    const at = onCircle(this.data.nodes, MIDDLE, RADIUS);
    this.lines = this.data.edges.map(([a, b], edge) => {
      const ends = { x1: at[a].x, y1: at[a].y, x2: at[b].x, y2: at[b].y };
      const line = svg("line", { ...ends, class: "edge" });
      const group = part(
        "g",
        {},
        svg("line", { ...ends, stroke: "transparent", "stroke-width": 24 }),
        svg("line", { ...ends, class: "ring" }),
        line,
      );
      handle(this.stage, group, `Edge ${a}-${b}: open it`, { tap: () => this.forge(edge) });
      return line;
    });
    this.nodes = at.map(({ x, y }, node) => {
      const circle = part("circle", { cx: x, cy: y, r: 14, class: "node bare" });
      written(
        part("text", { x, y: y + 5, "text-anchor": "middle", "font-size": 13, class: "on" }),
        node,
      );
      return circle;
    });
    this.titles = TAPES.map((x) =>
      part("text", { x, y: TOP - 8, "font-size": 13, class: "quiet" }),
    );
    this.chips = TAPES.map((x, tape) =>
      Array.from({ length: this.rounds }, (_, round) => {
        const y = TOP + round * ROW;
        part("rect", { x, y, width: 148, height: ROW - 4, rx: 5, class: "tape" });
        const label = part("text", { x: x + 10, y: y + 20, "font-size": 13 });
        const discs = [0, 1].map((end) => {
          const circle = svg("circle", { cx: x + 88 + 36 * end, cy: y + 15, r: 12 });
          const letter = svg("text", {
            x: x + 88 + 36 * end,
            y: y + 20,
            "text-anchor": "middle",
            "font-size": 13,
            "font-weight": 600,
          });
          const group = part("g", {}, circle, letter);
          if (tape) {
            group.append(
              svg("circle", { cx: x + 88 + 36 * end, cy: y + 15, r: 16, class: "ring" }),
            );
            handle(this.stage, group, "", { tap: () => this.paint(round, end) });
          }
          return { group, circle, letter };
        });
        return { label, discs };
      }),
    );
  }

  // For each round that you forge, the prover has one with a random edge.
  forge(edge) {
    if (this.named !== null || this.curtain !== null || this.tapes[1].length === this.rounds)
      return;
    this.tapes[0].push(this.real());
    this.tapes[1].push({ edge, colours: any(ORDERS).slice(0, 2) });
    this.update();
  }

  real() {
    const edge = Math.floor(Math.random() * this.data.edges.length);
    const names = this.shuffles ? any(ORDERS) : this.names;
    return { edge, colours: this.data.edges[edge].map((node) => names[this.data.colours[node]]) };
  }

  paint(round, end) {
    if (this.named !== null || this.curtain !== null) return;
    const { colours } = this.tapes[1][round];
    colours[end] = (colours[end] + 1) % 3;
    this.update();
  }

  // The best friend: two equal ends are never real, and real colours without shuffling are
  // consistent.
  tells(tapes) {
    const proper = (tape) => tape.every(({ colours }) => colours[0] !== colours[1]);
    const fits = (tape) =>
      ORDERS.some((names) =>
        tape.every(({ edge, colours }) =>
          this.data.edges[edge].every(
            (node, end) => names[this.data.colours[node]] === colours[end],
          ),
        ),
      );
    const can = tapes.map((tape) => proper(tape) && (this.shuffles || fits(tape)));
    return can[0] === can[1] ? Math.floor(2 * Math.random()) : Number(can[1]);
  }

  name(tape) {
    this.named = tape;
    this.curtain = null;
    this.games += 1;
    this.wins += Number(this.named === 0);
    this.update();
    if (!isStill()) this.stage.svg.animate([{ opacity: 0.2 }, { opacity: 1 }], 300);
  }

  run() {
    const { length } = this.tapes[1];
    for (let game = 0; game < GAMES; game += 1) {
      this.names = any(ORDERS);
      const tapes = [0, 1].map((forged) =>
        Array.from({ length }, () =>
          forged
            ? {
                edge: Math.floor(Math.random() * this.data.edges.length),
                colours: any(ORDERS).slice(0, 2),
              }
            : this.real(),
        ),
      );
      this.wins += Number(this.tells(tapes) === 0);
    }
    this.games += GAMES;
    this.ran = true;
    this.update();
  }

  update() {
    const [real, mine] = this.tapes,
      seen = Array.from({ length: this.data.nodes }, () => []);
    // Behind the curtain, the map would reveal whose tape is whose.
    const curtain = this.curtain !== null;
    if (!curtain)
      for (const { edge, colours } of real)
        this.data.edges[edge].forEach((node, end) => seen[node].push(colours[end]));
    this.lines.forEach((line, edge) =>
      line.setAttribute("class", !curtain && mine.at(-1)?.edge === edge ? "edge last" : "edge"),
    );
    this.nodes.forEach((circle, node) => {
      circle.setAttribute("class", seen[node].length ? "node" : "node bare");
      circle.style.fill = seen[node].length ? mixed(seen[node]) : "";
    });
    this.titles.forEach((title, tape) =>
      written(
        title,
        this.named !== null
          ? `${["The prover's", "Yours"][tape]}${tape === this.named ? ": “real”" : ""}`
          : curtain
            ? ["Left", "Right"][tape]
            : ["The prover's tape", "Your tape"][tape],
      ),
    );
    this.chips.forEach((rows, tape) =>
      rows.forEach(({ label, discs }, round) => {
        const said = this.tapes[tape ^ this.curtain][round];
        written(label, said ? `edge ${this.data.edges[said.edge].join("-")}` : "");
        discs.forEach(({ group, circle, letter }, end) => {
          group.style.display = said ? "" : "none";
          if (!said) return;
          const [name, fill, ink] = PAINTS[said.colours[end]];
          circle.setAttribute("fill", fill);
          letter.style.fill = ink;
          written(letter, name);
          if (tape)
            group.setAttribute(
              "aria-label",
              `Round ${round + 1}, end ${this.data.edges[said.edge][end]}: colour ${name}.${curtain ? "" : " Enter changes it."}`,
            );
        });
      }),
    );
    // At first, only forging a round is possible.
    this.ask.hidden = this.swap.hidden = !mine.length || this.named !== null || curtain;
    for (const side of this.sides) side.hidden = !curtain;
    this.again.hidden = this.named === null;
    this.order.hidden = this.many.hidden = !this.games || curtain;
    written(
      this.order,
      this.shuffles ? "Let the prover forget to shuffle" : "Let the prover shuffle again",
    );
    this.stage.say(this.words());
  }

  words() {
    const { length } = this.tapes[1],
      how = this.shuffles ? "shuffled" : "kept";
    const best = length ? this.data.right[how][length - 1] : null;
    const percent = (chance) => `${(100 * chance).toFixed(1).replace(".0", "")}%`;
    const rounds = `${length} ${length === 1 ? "round" : "rounds"}`;
    const theory =
      best === null
        ? ""
        : ` Against forgers who choose by chance, the best friend is right ${percent(best)} of the time after ${rounds}.`;
    const score = this.games ? ` So far right ${this.wins} of ${this.games}.` : "";
    if (this.curtain !== null)
      return `A coin said which tape stands left. Let somebody look who did not see you forge: which is the real one?${score}`;
    if (this.named !== null || this.ran) {
      const verdict = this.ran
        ? ""
        : this.named
          ? "Your friend took your forgery for the real one. "
          : "Your friend found the real one. ";
      const why = this.shuffles
        ? " You know no colouring, and your tape looks like the prover's: so its tape taught you nothing."
        : " The prover's colours fit together from round to round, and soon show the whole colouring.";
      return `${verdict}${score.trim()}${theory}${why}`;
    }
    if (!length)
      return `${this.shuffles ? "The prover renames its colours before each round." : "This prover keeps its colours."} Tap an edge: make up what you would have seen there, without knowing any colouring.`;
    return `${rounds} on each tape. Tap a disc of yours to change its colour, or another edge to go on. The map shows the average of the colours that the prover has opened.${score}`;
  }
}

export const mount = playable(Forgery);

// Colours are drawn over each other: many different ones become grey.
function mixed(colours) {
  const sums = [0, 0, 0];
  for (const colour of colours)
    [1, 3, 5].forEach((at, n) => {
      sums[n] += parseInt(PAINTS[colour][1].slice(at, at + 2), 16);
    });
  return `rgb(${sums.map((sum) => Math.round(sum / colours.length)).join(" ")})`;
}
