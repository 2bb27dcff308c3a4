// Two hundred strangers in columns by the number of tests passed: whom should one believe?

import { set, written } from "./elements.js";
import {
  arrows,
  dice,
  flag,
  handle,
  knob,
  newSeed,
  playable,
  SEED,
  Stage,
  Track,
  whole,
} from "./touch.js";
import { percentOf, tr, trn } from "./words.js";

const LEFT = 14,
  WIDE = 306,
  FLOOR = 222,
  DOT = 5,
  ROW = 5,
  TRACK = 274,
  SECOND = 320,
  GRIP = 50;

class Strangers {
  constructor(root) {
    this.stage = new Stage(root, {
      width: 334,
      height: 290,
      name: tr("Two hundred strangers, by the tests that they passed"),
    });
    this.tests = this.error = this.needed = 0;
    this.seen = true;
    this.tried = false;
    this.seed = newSeed();
    this.others = this.stage.button(tr("Two hundred others"), () => {
      this.seed = newSeed();
      this.meet();
      this.update();
    });
  }

  show(data) {
    this.data = data;
    this.most = data.guessers.length - 1;
    const tests = whole(this.most),
      possible = ({ tests, error, needed }) => needed <= tests && (error > 0 || needed === tests);
    this.stage.keep(
      data.keep,
      this,
      { tests, error: whole(data.errors.length - 1), needed: tests, tried: flag, seed: SEED },
      possible,
    );
    this.meet();
    this.draw();
    this.update();
  }

  // Each stranger's random results are drawn once, so a further test does not change earlier ones.
  meet() {
    const chance = dice(this.seed);
    this.luck = Array.from({ length: 2 * this.data.each }, () =>
      Array.from({ length: this.most }, chance),
    );
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    part("line", { x1: LEFT, x2: LEFT + WIDE, y1: FLOOR, y2: FLOOR, class: "axis" });
    this.dots = this.luck.map(() => part("circle", { r: 2.3 }));
    this.numbers = Array.from({ length: this.most + 1 }, () =>
      part("text", { y: FLOOR + 14, "text-anchor": "middle", "font-size": 11, class: "quiet" }),
    );
    const change = (set) => (to, dragged) => {
      const before = this.state();
      if (dragged) this.seen = false;
      set(to);
      // The handle moves in steps, so most pointer movements change nothing.
      if (this.state() !== before) this.update();
    };
    const drop = () => {
      this.seen = true;
      this.update();
    };
    const track = (y, places, set) =>
      new Track(this.stage, { x: LEFT, y, wide: WIDE, places, moved: change(set), drop });
    this.testsTrack = track(TRACK, this.most + 1, (tests) => this.test(tests));
    this.errorTrack = track(SECOND, this.data.errors.length, (error) => this.err(error));
    this.line = part("line", { y1: GRIP, y2: FLOOR, class: "threshold" });
    this.lineKnob = part("g", {}, ...knob());
    const need = change((needed) => this.need(needed));
    handle(this.stage, this.lineKnob, "", {
      drag: ({ x }) => need(Math.round((x - LEFT) / this.column()), true),
      drop,
      key: arrows((by) => need(this.needed + by, false)),
    });
  }

  state() {
    return [this.tests, this.error, this.needed, this.seen].join();
  }

  column() {
    return WIDE / (this.most + 1);
  }

  test(tests) {
    const all = this.needed === this.tests;
    this.tests = tests;
    this.needed = all ? this.tests : Math.min(this.needed, this.tests);
  }

  err(error) {
    this.error = error;
    if (!this.error) this.needed = this.tests;
  }

  need(needed) {
    this.needed = Math.max(0, Math.min(this.tests, needed));
  }

  update() {
    const { each, guess, errors } = this.data,
      column = this.column();
    const heights = Array(this.most + 1).fill(0),
      believed = [0, 0];
    this.luck.forEach((luck, who) => {
      const guesses = Number(who >= each),
        chance = guesses ? guess : 1 - errors[this.error] / 100;
      let passed = 0;
      for (let test = 0; test < this.tests; test += 1) passed += Number(luck[test] < chance);
      const place = heights[passed]++,
        dot = this.dots[who],
        isIn = passed >= this.needed;
      believed[guesses] += Number(isIn);
      const cx = LEFT + passed * column + 4 + DOT * (place % ROW),
        cy = FLOOR - 4 - DOT * Math.floor(place / ROW);
      set(dot, {
        cx,
        cy,
        class: `${!this.seen || !this.tests ? "anybody" : guesses ? "guesser" : "taster"}${isIn ? "" : " out"}`,
      });
    });
    this.numbers.forEach((number, passed) => {
      number.setAttribute("x", LEFT + (passed + 0.5) * column);
      written(number, passed <= this.tests ? passed : "");
    });
    this.testsTrack.show(this.tests, tr("Tests for each stranger: {n}", { n: this.tests }));
    this.errorTrack.show(
      this.error,
      tr("Tasters err in {share} of tests", { share: percentOf(errors[this.error] / 100) }),
    );
    const at = LEFT + this.needed * column;
    set(this.line, { x1: at, x2: at });
    set(this.lineKnob, {
      transform: `translate(${at} ${GRIP})`,
      "aria-label": tr("Passes needed: {needed} of {tests}. Arrow keys change it.", {
        needed: this.needed,
        tests: this.tests,
      }),
    });
    // At first there is one handle; a threshold matters only if honest strangers err.
    this.tried ||= this.tests > 0 && this.seen;
    this.errorTrack.group.style.display = this.tried ? "" : "none";
    for (const part of [this.line, this.lineKnob])
      part.style.display = this.error && this.tests ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 334 ${this.tried ? 338 : 290}`);
    this.others.hidden = !this.tried;
    this.stage.say(this.words(believed));
  }

  words(believed) {
    const [tasters, guessers] = believed;
    const { each, tasters: able, guessers: bluff } = this.data;
    if (!this.tests)
      return tr(
        "{each} can taste the difference and {each} only guess, and they look alike. Drag the handle: how many tests until you believe hardly any guesser?",
        { each },
      );
    const number = { all: tasters + guessers, needed: this.needed };
    const start =
      this.needed === this.tests
        ? trn(
            "{n} test, all passed: you believe {all} strangers",
            "{n} tests, all passed: you believe {all} strangers",
            this.tests,
            number,
          )
        : trn(
            "{n} test, at least {needed} passed: you believe {all} strangers",
            "{n} tests, at least {needed} passed: you believe {all} strangers",
            this.tests,
            number,
          );
    if (!this.seen) return tr("{start}. Let go to see who they are.", { start });
    const good = able[this.error][this.tests][this.needed],
      bad = bluff[this.tests][this.needed];
    const percent = (chance) => percentOf(chance, chance < 0.01 ? 2 : 1);
    return tr(
      "{start}, {tasters} tasters (orange) and {guessers} guessers (blue). On average {good} of tasters and {bad} of guessers pass, so of those believed {share} guess.",
      {
        start,
        tasters,
        guessers,
        good: percent(good),
        bad: percent(bad),
        share: percent(bad / (good + bad)),
      },
    );
  }
}

export const mount = playable(Strangers);
