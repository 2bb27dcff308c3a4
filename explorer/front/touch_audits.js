// Six steps of a play, by how suspicious they look: drag the audits to those that are looked at.

import { set, svg, written } from "./elements.js";
import { arrows, COUNT, flag, handle, list, percent, playable, Stage, whole } from "./touch.js";

const WIDE = 334,
  LEFT = 34,
  ACROSS = 288,
  TOP = 20,
  HIGH = 120,
  FLOOR = TOP + HIGH,
  LENS = FLOOR + 44,
  SIGNS = "AB",
  TRIED = 3; // plays after which the attacker may get to know the rule

class Audits {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: LENS + 30,
      name: "How suspicious each of six steps looks, and your audits",
    });
    this.look = this.stage.button("Audit these steps", () => this.audit());
    this.next = this.stage.button("Next play", () => this.go(this.way));
    this.other = this.stage.button("", () => this.go(1 - this.way));
  }

  show(data) {
    this.data = data;
    this.way = 0;
    this.over = false;
    this.play = [0, 0];
    // For each attacker: plays in which the harm was found, and all plays.
    this.results = [
      [0, 0],
      [0, 0],
    ];
    const { length } = data.plays[0][0].suspicion;
    this.places = Array.from({ length: data.audits }, (_, n) => n);
    this.stage.keep(
      data.keep,
      this,
      {
        way: whole(1),
        over: flag,
        play: list(whole(data.plays[0].length - 1), 2),
        places: list(whole(length - 1), data.audits),
        results: list(list(COUNT, 2), 2),
      },
      ({ places }) => new Set(places).size === places.length,
    );
    this.draw(length);
    this.update();
  }

  get now() {
    return this.data.plays[this.way][this.play[this.way]];
  }

  x(step) {
    return LEFT + (ACROSS * (step + 0.5)) / this.now.suspicion.length;
  }

  draw(count) {
    const part = (...given) => this.stage.part(...given);
    part("line", { x1: LEFT, x2: LEFT + ACROSS, y1: FLOOR, y2: FLOOR, class: "axis" });
    this.bars = Array.from({ length: count }, (_, step) => {
      const x = this.x(step),
        text = { x, "text-anchor": "middle", "font-size": 12 };
      written(part("text", { ...text, y: FLOOR + 16, class: "quiet" }), step + 1);
      return {
        bar: part("rect", { x: x - 14, width: 28, rx: 3 }),
        mark: part("text", text),
      };
    });
    this.lenses = this.places.map((_, audit) => {
      const sign = svg("text", { "text-anchor": "middle", y: 4, "font-size": 12 });
      const knob = part(
        "g",
        {},
        svg("rect", { x: -20, y: -20, width: 40, height: 40, fill: "transparent" }),
        svg("circle", { r: 13, class: "lens" }),
        svg("circle", { r: 17, class: "ring" }),
        sign,
      );
      written(sign, SIGNS[audit]);
      handle(this.stage, knob, "", {
        drag: ({ x }) => this.move(audit, Math.floor(((x - LEFT) / ACROSS) * count)),
        key: arrows((by) => this.move(audit, this.places[audit] + by, by)),
      });
      return knob;
    });
  }

  // An audit steps over one that is in its way.
  move(audit, to, by = 0) {
    const last = this.bars.length - 1,
      taken = (step) => this.places.some((place, n) => n !== audit && place === step);
    let step = Math.max(0, Math.min(last, to));
    if (taken(step)) step += by;
    if (this.over || step < 0 || step > last || taken(step) || step === this.places[audit]) return;
    this.places[audit] = step;
    this.update();
  }

  audit() {
    this.over = true;
    const result = this.results[this.way];
    result[0] += Number(this.places.includes(this.now.harm));
    result[1] += 1;
    this.update();
  }

  go(way) {
    this.play[this.way] = (this.play[this.way] + 1) % this.data.plays[this.way].length;
    this.way = way;
    this.over = false;
    this.update();
  }

  update() {
    const { suspicion, harm } = this.now;
    this.bars.forEach(({ bar, mark }, step) => {
      const height = (HIGH * suspicion[step]) / 100 + 2,
        bad = this.over && step === harm;
      set(bar, { y: FLOOR - height, height, class: bad ? "harm" : "looks" });
      mark.setAttribute("y", String(FLOOR - height - 5));
      written(mark, bad ? `${suspicion[step]} harm` : suspicion[step]);
    });
    this.lenses.forEach((knob, audit) => {
      const step = this.places[audit];
      set(knob, {
        transform: `translate(${this.x(step)} ${LENS})`,
        "aria-label": `Audit ${SIGNS[audit]} looks at step ${step + 1}, suspicion ${suspicion[step]}. Arrow keys move it.`,
      });
    });
    this.look.hidden = this.over;
    this.next.hidden = !this.over;
    this.other.hidden = !this.over || this.results[0][1] < TRIED;
    written(this.other, this.way ? "An attacker who does not know" : "Let it know how you choose");
    this.stage.say(this.words());
  }

  words() {
    const { top, chance } = this.data,
      [found, all] = this.results[this.way];
    const who = this.way
      ? "This attacker knows that you look at what is suspicious, and makes two harmless steps look bad."
      : "At one of six steps there is harm.";
    const sums = all ? ` You found it in ${found} of ${all} plays.` : "";
    const best = `The two most suspicious steps are enough in ${percent(top[this.way])} of plays, two by chance in ${percent(chance)}.`;
    if (!this.over) return `${who} Drag your two audits, then look. Goal: 7 of 10 plays.${sums}`;
    const { harm } = this.now,
      verdict = this.places.includes(harm) ? "Found" : "Missed";
    const end = all >= 10 ? ` ${found / all >= 0.7 ? "Goal reached." : "Below the goal."}` : "";
    return `${verdict}: the harm was at step ${harm + 1}.${sums}${end} ${best}`;
  }
}

export const mount = playable(Audits);
