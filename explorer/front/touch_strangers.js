// Two hundred strangers in columns by the number of tests passed: whom should one believe?

import { svg, written } from "./elements.js";
import { dice, flag, handle, newSeed, SEED, Stage, whole } from "./touch.js";

const LEFT = 14, WIDE = 306, FLOOR = 222, DOT = 5, ROW = 5, TRACK = 274, SECOND = 320, GRIP = 50;

export function mount(root) {
  const game = new Strangers(root);
  return { show: (data) => game.show(data), destroy: () => game.stage.destroy() };
}

class Strangers {
  constructor(root) {
    this.stage = new Stage(root, { width: 334, height: 290, name: "Two hundred strangers, by the tests that they passed" });
    this.tests = this.error = this.needed = 0;
    this.seen = true;
    this.tried = false;
    this.seed = newSeed();
    this.others = this.stage.button("Two hundred others", () => { this.seed = newSeed(); this.meet(); this.update(); });
  }

  show(data) {
    if (this.data) return;
    this.data = data;
    this.most = data.guessers.length - 1;
    const tests = whole(this.most), possible = ({ tests, error, needed }) => needed <= tests && (error > 0 || needed === tests);
    this.stage.keep(data.keep, this, { tests, error: whole(data.errors.length - 1), needed: tests, tried: flag, seed: SEED }, possible);
    this.meet();
    this.draw();
    this.update();
  }

  // Each stranger's random results are drawn once, so a further test does not change earlier ones.
  meet() {
    const chance = dice(this.seed);
    this.luck = Array.from({ length: 2 * this.data.each }, () => Array.from({ length: this.most }, chance));
  }

  draw() {
    const part = (tag, attributes, ...children) => {
      const made = svg(tag, attributes, ...children);
      this.stage.svg.append(made);
      return made;
    };
    part("line", { x1: LEFT, x2: LEFT + WIDE, y1: FLOOR, y2: FLOOR, class: "axis" });
    this.dots = this.luck.map(() => part("circle", { r: 2.3 }));
    this.numbers = Array.from({ length: this.most + 1 }, () => part("text", { y: FLOOR + 14, "text-anchor": "middle", "font-size": 11, class: "quiet" }));
    const knob = (drag, key) => {
      const group = part("g", {}, svg("circle", { r: 18, fill: "transparent" }), svg("circle", { r: 10, class: "knob" }), svg("circle", { r: 15, class: "ring" }));
      handle(this.stage, group, "", {
        drag: ({ x }) => {
          const before = this.state();
          this.seen = false;
          drag(x);
          // The handle moves in steps, so most pointer movements change nothing.
          if (this.state() !== before) this.update();
        },
        drop: () => { this.seen = true; this.update(); },
        key: (name) => {
          const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[name];
          return Boolean(by) && (key(by), this.update(), true);
        },
      });
      return group;
    };
    const track = (y) => {
      const rail = part("line", { x1: LEFT + 12, x2: LEFT + WIDE - 12, y1: y, y2: y, class: "axis" });
      return [part("text", { x: LEFT, y: y - 16, "font-size": 13, class: "quiet" }), rail];
    };
    [this.testsLabel] = track(TRACK);
    this.testsKnob = knob((x) => this.test(this.along(x, this.most)), (by) => this.test(this.tests + by));
    [this.errorLabel, this.errorRail] = track(SECOND);
    this.errorKnob = knob((x) => this.err(this.along(x, this.data.errors.length - 1)), (by) => this.err(this.error + by));
    this.line = part("line", { y1: GRIP, y2: FLOOR, class: "threshold" });
    this.lineKnob = knob((x) => this.need(Math.round((x - LEFT) / this.column())), (by) => this.need(this.needed + by));
  }

  state() { return [this.tests, this.error, this.needed, this.seen].join(); }

  column() { return WIDE / (this.most + 1); }

  along(x, most) { return Math.round(((x - LEFT - 12) / (WIDE - 24)) * most); }

  test(tests) {
    const all = this.needed === this.tests;
    this.tests = Math.max(0, Math.min(this.most, tests));
    this.needed = all ? this.tests : Math.min(this.needed, this.tests);
  }

  err(error) {
    this.error = Math.max(0, Math.min(this.data.errors.length - 1, error));
    if (!this.error) this.needed = this.tests;
  }

  need(needed) { this.needed = Math.max(0, Math.min(this.tests, needed)); }

  update() {
    const { each, guess, errors } = this.data, column = this.column();
    const heights = Array(this.most + 1).fill(0), believed = [0, 0];
    this.luck.forEach((luck, who) => {
      const guesses = Number(who >= each), chance = guesses ? guess : 1 - errors[this.error] / 100;
      let passed = 0;
      for (let test = 0; test < this.tests; test += 1) passed += luck[test] < chance;
      const place = heights[passed]++, dot = this.dots[who], isIn = passed >= this.needed;
      believed[guesses] += isIn;
      dot.setAttribute("cx", LEFT + passed * column + 4 + DOT * (place % ROW));
      dot.setAttribute("cy", FLOOR - 4 - DOT * Math.floor(place / ROW));
      dot.setAttribute("class", `${!this.seen || !this.tests ? "anybody" : guesses ? "guesser" : "taster"}${isIn ? "" : " out"}`);
    });
    this.numbers.forEach((number, passed) => {
      number.setAttribute("x", LEFT + (passed + 0.5) * column);
      written(number, passed <= this.tests ? passed : "");
    });
    const across = (share) => LEFT + 12 + (WIDE - 24) * share;
    this.testsKnob.setAttribute("transform", `translate(${across(this.tests / this.most)} ${TRACK})`);
    this.testsKnob.setAttribute("aria-label", `Tests for each stranger: ${this.tests}. Arrow keys change it.`);
    written(this.testsLabel, `Tests for each stranger: ${this.tests}`);
    this.errorKnob.setAttribute("transform", `translate(${across(this.error / (errors.length - 1))} ${SECOND})`);
    this.errorKnob.setAttribute("aria-label", `Tasters err in ${errors[this.error]}% of tests. Arrow keys change it.`);
    written(this.errorLabel, `Tasters err in ${errors[this.error]}% of tests`);
    const at = LEFT + this.needed * column;
    this.line.setAttribute("x1", at);
    this.line.setAttribute("x2", at);
    this.lineKnob.setAttribute("transform", `translate(${at} ${GRIP})`);
    this.lineKnob.setAttribute("aria-label", `Passes needed: ${this.needed} of ${this.tests}. Arrow keys change it.`);
    // At first there is one handle; a threshold matters only if honest strangers err.
    this.tried ||= this.tests > 0 && this.seen;
    for (const part of [this.errorKnob, this.errorLabel, this.errorRail]) part.style.display = this.tried ? "" : "none";
    for (const part of [this.line, this.lineKnob]) part.style.display = this.error && this.tests ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 334 ${this.tried ? 338 : 290}`);
    this.others.hidden = !this.tried;
    this.stage.say(this.words(believed));
  }

  words([tasters, guessers]) {
    const { each, tasters: able, guessers: bluff } = this.data;
    if (!this.tests) return `${each} can taste the difference and ${each} only guess, and they look alike. Drag the handle: how many tests until you believe hardly any guesser?`;
    const rule = this.needed === this.tests ? "all passed" : `at least ${this.needed} passed`;
    const start = `${this.tests} ${this.tests === 1 ? "test" : "tests"}, ${rule}: you believe ${tasters + guessers} strangers`;
    if (!this.seen) return `${start}. Let go to see who they are.`;
    const good = able[this.error][this.tests][this.needed], bad = bluff[this.tests][this.needed];
    const percent = (chance) => `${(100 * chance).toFixed(chance < 0.01 ? 2 : 1)}%`;
    return `${start}, ${tasters} tasters (orange) and ${guessers} guessers (blue). On average ${percent(good)} of tasters and ${percent(bad)} of guessers pass, so of those believed ${percent(bad / (good + bad))} guess.`;
  }
}
