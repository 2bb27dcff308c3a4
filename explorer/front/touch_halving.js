// A bill with one false line: hide it, then halve the disputed part until one line is left.

import { set, svg, written } from "./elements.js";
import {
  ARROWS,
  arrows,
  COUNT,
  flag,
  handle,
  isStill,
  playable,
  Stage,
  Track,
  whole,
} from "./touch.js";

const LEFT = 12,
  WIDE = 310,
  BAR = 28,
  HALF = 150,
  TOP = 118,
  HIGH = 88,
  FOG = 284,
  LOW = 214,
  FULL = 306;
const NAMES = ["left", "right"];
// A format of its own for each number would take most of the time of a drag.
const FORMAT = new Intl.NumberFormat("en");
const counted = (number) => FORMAT.format(number);

class Halving {
  constructor(root) {
    this.stage = new Stage(root, { width: 334, height: LOW, name: "A bill with one false line" });
    this.skill = this.turn = 0;
    this.line = 617;
    this.played = false;
    this.runs = 0;
    this.caught = 0;
    this.follow = this.stage.button("Follow the needle to the end", () => this.finish());
    this.again = this.stage.button("Start again", () => this.restart());
  }

  show(data) {
    this.data = data;
    this.draw();
    this.begin();
    const { length } = data.amounts,
      place = whole(length - 1);
    const fields = {
      skill: whole(data.skills.length - 1),
      line: place,
      turn: place,
      from: place,
      to: whole(length),
      steps: whole(10),
      pointed: whole(1),
      lost: flag,
      played: flag,
      runs: COUNT,
      caught: COUNT,
    };
    this.stage.keep(
      data.keep,
      this,
      fields,
      ({ line, from, to, steps, lost, skill, turn }) =>
        to - from === length >> steps &&
        from % (to - from) === 0 &&
        lost === !(line >= from && line < to) &&
        (skill > 0 || !turn),
    );
    this.add();
    this.update();
  }

  add() {
    const { amounts } = this.data;
    this.sums = [0];
    for (const amount of [...amounts.slice(this.turn), ...amounts.slice(0, this.turn)])
      this.sums.push(this.sums.at(-1) + amount);
  }

  total(from, to) {
    return this.sums[to] - this.sums[from];
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    const word = (x, y, attributes = {}) =>
      part("text", { x, y, "font-size": 13, class: "quiet", ...attributes });
    written(word(LEFT, 18), "The whole bill: 1,024 lines, one of them false");
    part("rect", { x: LEFT, y: BAR, width: WIDE, height: 14, rx: 3, class: "bill" });
    this.lit = part("rect", { y: BAR, height: 14, rx: 3, class: "question" });
    this.weight = part(
      "g",
      {},
      svg("rect", { x: -18, y: -6, width: 36, height: 40, fill: "transparent" }),
      svg("path", { d: "M0 0 L11 12 V26 H-11 V12 Z", class: "wrong" }),
      svg("circle", { cy: 14, r: 19, class: "ring" }),
    );
    handle(this.stage, this.weight, "", {
      drag: ({ x }) => this.hide(Math.round(((x - LEFT) / WIDE) * this.data.amounts.length)),
      key: arrows((by) => this.hide(this.line + by), { ...ARROWS, PageDown: -64, PageUp: 64 }),
    });
    this.claim = word(LEFT, TOP - 12);
    this.halves = NAMES.map((_, side) => {
      const x = LEFT + side * (WIDE - HALF),
        middle = x + HALF / 2;
      const box = svg("rect", { x, y: TOP, width: HALF, height: HIGH, rx: 8 });
      const texts = [24, 48, 70].map((y, row) =>
        svg("text", { x: middle, y: TOP + y, "text-anchor": "middle", "font-size": row ? 14 : 12 }),
      );
      const group = part(
        "g",
        {},
        box,
        ...texts,
        svg("rect", {
          x: x - 3,
          y: TOP - 3,
          width: HALF + 6,
          height: HIGH + 6,
          rx: 10,
          class: "ring",
        }),
      );
      handle(this.stage, group, "", { tap: () => this.choose(side) });
      return { group, box, texts };
    });
    const box = svg("rect", { x: LEFT, y: TOP, width: WIDE, height: HIGH, rx: 8 });
    const texts = [36, 62].map((y) =>
      svg("text", { x: LEFT + WIDE / 2, y: TOP + y, "text-anchor": "middle", "font-size": 14 }),
    );
    this.end = { group: part("g", {}, box, ...texts), box, texts };
    this.needle = part("path", { d: "M0 0 V-26 M-6 -18 L0 -26 L6 -18", class: "needle" });
    this.fog = new Track(this.stage, {
      x: LEFT,
      y: FOG,
      wide: WIDE,
      places: this.data.skills.length,
      moved: (skill) => this.see(skill),
    });
  }

  begin() {
    this.from = 0;
    this.to = this.data.amounts.length;
    this.steps = 0;
    this.lost = false;
    // In fog, the player must not know the false line or totals from the previous game.
    this.turn = this.skill ? Math.floor(Math.random() * this.to) : 0;
    if (this.skill) this.line = Math.floor(Math.random() * this.to);
    this.point();
  }

  restart() {
    this.begin();
    this.add();
    this.update();
  }

  hide(line) {
    const bounded = Math.max(0, Math.min(this.data.amounts.length - 1, line));
    if (this.skill || this.steps || bounded === this.line) return;
    this.line = bounded;
    this.point();
    this.update();
  }

  see(skill) {
    if (skill === this.skill) return;
    this.skill = skill;
    this.runs = this.caught = 0;
    this.restart();
  }

  middle() {
    return (this.from + this.to) / 2;
  }

  wrong() {
    return Number(this.line >= this.middle());
  }

  over() {
    return this.lost || this.to - this.from === 1;
  }

  // The opponent sees the false half with its probability, independently of earlier steps.
  point() {
    const [percent] = this.data.skills[this.skill];
    this.pointed = 100 * Math.random() < percent ? this.wrong() : 1 - this.wrong();
  }

  step(side) {
    this.lost = side !== this.wrong();
    const middle = this.middle();
    if (side) this.from = middle;
    else this.to = middle;
    this.steps += 1;
    this.played = true;
    if (this.over()) {
      this.runs += 1;
      this.caught += Number(!this.lost);
    } else this.point();
  }

  choose(side) {
    if (this.over()) return;
    this.step(side);
    this.update();
    if (!isStill()) this.lit.animate([{ opacity: 0.3 }, { opacity: 1 }], 250);
  }

  finish() {
    if (this.over()) this.restart();
    while (!this.over()) this.step(this.pointed);
    this.update();
  }

  update() {
    const { length } = this.data.amounts,
      over = this.over(),
      foggy = this.skill > 0 && !over;
    const place = (line) => LEFT + (WIDE * line) / length;
    set(this.lit, {
      x: place(this.from),
      width: Math.max(2, (WIDE * (this.to - this.from)) / length),
    });
    set(this.weight, {
      transform: `translate(${place(this.line + 0.5)} ${BAR + 16})`,
      "aria-label": `The false line: number ${this.line + 1}. Arrow keys move it, page keys move it far.`,
      tabindex: this.steps || this.skill ? -1 : 0,
    });
    this.weight.style.display = foggy ? "none" : "";
    this.claim.style.display = over ? "none" : "";
    this.end.group.style.display = over ? "" : "none";
    if (over) this.close();
    written(
      this.claim,
      `${this.range(this.from, this.to)}: claimed ${this.stated(this.from, this.to)}`,
    );
    const middle = this.middle();
    this.halves.forEach(({ group, box, texts }, side) => {
      const [from, to] = side ? [middle, this.to] : [this.from, middle];
      const isWrong = side === this.wrong();
      group.style.display = over ? "none" : "";
      group.setAttribute("aria-label", over ? "" : `Point at the ${NAMES[side]} half`);
      box.setAttribute("class", foggy ? "hidden" : isWrong ? "bad" : "good");
      if (over) return;
      written(texts[0], this.range(from, to));
      written(texts[1], `stated ${this.stated(from, to)}`);
      written(
        texts[2],
        foggy ? "true ?" : `true ${counted(this.total(from, to))} ${isWrong ? "✕" : "✓"}`,
      );
    });
    this.needle.style.display = over || !this.skill ? "none" : "";
    this.needle.setAttribute(
      "transform",
      `translate(${LEFT + WIDE / 2} 240) rotate(${this.pointed ? 60 : -60})`,
    );
    const [percent, chance] = this.data.skills[this.skill];
    this.fog.show(this.skill, `Fog: the needle is right ${percent}% of the time`);
    // At first, only hiding the line and pointing are possible.
    this.fog.group.style.display = this.played ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 334 ${this.played ? FULL : LOW}`);
    this.follow.hidden = !this.skill;
    this.again.hidden = !this.steps;
    this.stage.say(this.words(percent, chance));
  }

  close() {
    const { box, texts } = this.end,
      sums = [this.stated(this.from, this.to), counted(this.total(this.from, this.to))];
    box.setAttribute("class", this.lost ? "good" : "bad");
    written(texts[0], this.range(this.from, this.to));
    written(texts[1], `stated ${sums[0]}, true ${sums[1]} ${this.lost ? "✓" : "✕"}`);
  }

  range(from, to) {
    const [first, last] = [from + 1, to].map(counted);
    return to - from === 1 ? `Line ${last}` : `Lines ${first} to ${last}`;
  }

  stated(from, to) {
    return counted(this.total(from, to) + Number(this.line >= from && this.line < to));
  }

  words(percent, chance) {
    const rate = 100 * chance,
      average = `${rate.toFixed(rate < 1 ? 1 : 0)}%`;
    const played = this.runs ? ` Caught ${this.caught} of ${this.runs}.` : "";
    const score = this.skill
      ? `${played} Following the needle catches the lie with chance (${percent / 100})¹⁰ = ${average}.`
      : "";
    if (this.lost)
      return `Step ${this.steps}: you pointed at a half whose total was true. Every line in it is in order, so the liar escapes.${score}`;
    if (this.over())
      return `Caught: you read line ${counted(this.line + 1)} alone, and it is false.${score || " Each of ten steps had one false half. Now add fog."}`;
    if (this.skill)
      return `Fog hides the true totals. The needle points ${NAMES[this.pointed]}, and is right ${percent}% of the time. Tap a half, or follow it to the end.${score}`;
    const left = 10 - this.steps;
    if (this.steps)
      return `The half you chose is false, so one of its halves is false too. ${left} ${left === 1 ? "step" : "steps"} to go: tap the false half.`;
    return `Line ${counted(this.line + 1)} is 1 too high, so the ${NAMES[this.wrong()]} half is false. Drag the red weight: can you make both halves true? Then tap the false half, ten times.`;
  }
}

export const mount = playable(Halving);
