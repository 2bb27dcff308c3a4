// Worked solutions by a helpful or a sneaky prover: give a score, then find the wrong line.

import { make, set, svg, written } from "./elements.js";
import { COUNT, flag, handle, list, maybe, playable, Stage, Track, whole } from "./touch.js";

const WIDE = 334,
  LEFT = 12,
  ROW = 36,
  MOST = 6,
  SCORES = 10,
  BELOW = 62;

class Legible {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: MOST * ROW + 2 * BELOW,
      name: "A worked solution",
    });
    this.task = make("p");
    this.stage.stage.prepend(this.task);
    this.give = this.stage.button("", () => {
      this.given = true;
      this.update();
    });
    this.fine = this.stage.button("All lines are right", () => this.grade(null));
    this.next = this.stage.button("Next solution", () => this.go());
  }

  show(data) {
    this.data = data;
    // For each of both kinds: right answers, all answers, seconds.
    this.results = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    // For sneaky and helpful solutions: the sum of scores and their number.
    this.scores = [
      [0, 0],
      [0, 0],
    ];
    this.place = Math.floor(Math.random() * (data.solutions.length / 2)) * 2 - 1;
    this.draw();
    this.begin();
    const fields = {
      place: whole(data.solutions.length - 1),
      over: flag,
      named: maybe(whole(MOST - 1)),
      given: flag,
      score: maybe(whole(SCORES)),
      began: whole(Number.MAX_SAFE_INTEGER),
      results: list(list(Number.isFinite, 3), 2),
      scores: list(list(COUNT, 2), 2),
    };
    this.stage.keep(
      data.keep,
      this,
      fields,
      ({ given, over, score }) => score !== null || !(given || over),
    );
    this.update();
  }

  get now() {
    return this.data.solutions[this.place];
  }

  draw() {
    this.rows = Array.from({ length: MOST }, (_, row) => {
      const box = svg("rect", {
        x: LEFT,
        y: row * ROW + 2,
        width: WIDE - 2 * LEFT,
        height: ROW - 5,
        rx: 6,
        class: "step",
      });
      const text = svg("text", { x: LEFT + 12, y: row * ROW + 22, "font-size": 15 });
      const group = svg(
        "g",
        {},
        box,
        text,
        svg("rect", {
          x: LEFT - 3,
          y: row * ROW - 1,
          width: WIDE - 2 * LEFT + 6,
          height: ROW + 1,
          rx: 8,
          class: "ring",
        }),
      );
      this.stage.svg.append(group);
      handle(this.stage, group, "", { tap: () => row < this.now.lines.length && this.grade(row) });
      return { group, box, text };
    });
    this.track = new Track(this.stage, {
      x: LEFT,
      y: 0,
      wide: WIDE - 2 * LEFT,
      places: SCORES + 1,
      moved: (place) => this.set(place),
    });
    this.controls = svg("g", {}, this.track.group);
    this.stage.svg.append(this.controls);
  }

  // `named`: the line called wrong; null for none.
  begin() {
    this.place = (this.place + 1) % this.data.solutions.length;
    this.over = this.given = false;
    this.named = null;
    this.score = null;
    this.began = Date.now();
  }

  go() {
    this.begin();
    this.update();
  }

  set(score) {
    if (this.given || score === this.score) return;
    this.score = score;
    this.update();
  }

  grade(line) {
    if (!this.given || this.over) return;
    this.over = true;
    this.named = line;
    const result = this.results[this.now.kind],
      scores = this.scores[Number(this.now.wrong === null)];
    result[0] += Number(line === this.now.wrong);
    result[1] += 1;
    result[2] += (Date.now() - this.began) / 1000;
    scores[0] += this.score;
    scores[1] += 1;
    this.update();
  }

  update() {
    const {
      now: { task, lines, wrong },
      over,
    } = this;
    written(this.task, task);
    this.rows.forEach(({ group, box, text }, row) => {
      group.style.display = row < lines.length ? "" : "none";
      set(group, {
        tabindex: this.given ? 0 : -1,
        "aria-label": `Line ${row + 1}: ${lines[row] ?? ""}.${this.given && !over ? " It is wrong" : ""}`,
      });
      written(text, lines[row] ?? "");
      box.setAttribute(
        "class",
        `step${over && row === wrong ? " slip" : over && row === this.named ? " named" : ""}`,
      );
    });
    const height = lines.length * ROW;
    this.controls.setAttribute("transform", `translate(0 ${height + 38})`);
    this.controls.style.display = this.given ? "none" : "";
    const unset = this.score === null;
    this.track.show(
      this.score,
      `Your score: ${unset ? "not chosen yet" : `${this.score} of ${SCORES}`}`,
    );
    written(this.give, unset ? "First choose a score" : "Give this score");
    this.give.disabled = unset;
    this.stage.svg.setAttribute("viewBox", `0 0 ${WIDE} ${height + (this.given ? 0 : BELOW)}`);
    this.give.hidden = this.given;
    this.fine.hidden = !this.given || over;
    this.next.hidden = !over;
    this.stage.say(this.words(over, wrong));
  }

  words(over, wrong) {
    const how = this.data.kinds,
      who = ["sneaky", "helpful"];
    const graded = this.results
      .map(([right, all, seconds], kind) =>
        all
          ? `${how[kind]}: ${right} of ${all} right, ${Math.round(seconds / all)} seconds each`
          : "",
      )
      .filter(Boolean)
      .reverse()
      .join("; ");
    const means = this.scores
      .map(([sum, all], helpful) => (all ? `${who[helpful]} ${(sum / all).toFixed(1)}` : ""))
      .filter(Boolean)
      .reverse()
      .join(", ");
    const sums = graded && ` So far ${graded}. Your mean score: ${means}.`;
    if (!this.given)
      return `A coin made the prover helpful or sneaky. Each line goes on from the one before, and a sneaky solution has one slip. Either prover is paid the score that you give${this.score === null ? "" : `: now ${this.score}`}.${sums}`;
    if (!over)
      return `You give ${this.score} of ${SCORES}. Now tap the wrong line, or say that all are right.`;
    const truth =
      wrong === null
        ? `The prover was helpful: all lines are right, and it is paid ${this.score}`
        : `The prover was sneaky: line ${wrong + 1} is wrong, and it is paid ${this.score}`;
    return `${this.named === wrong ? "Right." : "No."} ${truth}.${sums}`;
  }
}

export const mount = playable(Legible);
