// An argument whose steps can be redone: change a claim, and let Bob check.

import { set, svg, written } from "./elements.js";
import {
  arrows,
  COUNT,
  handle,
  list,
  maybe,
  percent,
  playable,
  Stage,
  Track,
  whole,
} from "./touch.js";

const WIDE = 334,
  LEFT = 26,
  ACROSS = 296,
  TOP = 24,
  HIGH = 140,
  FLOOR = TOP + HIGH,
  TRACK = FLOOR + 58;

class Redo {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: TRACK + 24,
      name: "Eight steps: the true chances, Alice's claims and Bob's tries",
    });
    this.tries = 2;
    this.rejected = -1;
    this.forget();
    this.look = this.stage.button("Let Bob redo the steps", () => this.redo());
    this.fair = this.stage.button("All claims true again", () => {
      this.claims = [...this.data.true];
      this.forget();
      this.update();
    });
  }

  show(data) {
    this.data = data;
    this.claims = [...data.true];
    const { length } = data.true,
      share = (value) => Number.isFinite(value) && value >= 0 && value <= 1;
    this.stage.keep(data.keep, this, {
      claims: list(whole(data.step), length),
      tries: whole(data.tries.length - 1),
      seen: maybe(list(share, length)),
      rejected: whole(length - 1, -1),
      games: COUNT,
      found: COUNT,
    });
    this.draw();
    this.update();
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    part("line", { x1: LEFT, x2: LEFT + ACROSS, y1: FLOOR, y2: FLOOR, class: "axis" });
    for (const percent of [0, 50, 100])
      written(
        part("text", {
          x: LEFT - 4,
          y: this.y((percent / 100) * this.data.step) + 4,
          "text-anchor": "end",
          "font-size": 10,
          class: "quiet",
        }),
        `${percent}%`,
      );
    this.steps = this.data.true.map((chance, step) => {
      const x = LEFT + (ACROSS * (step + 0.5)) / this.data.true.length;
      written(
        part("text", {
          x,
          y: FLOOR + 15,
          "text-anchor": "middle",
          "font-size": 11,
          class: "quiet",
        }),
        step + 1,
      );
      part("circle", { cx: x, cy: this.y(chance), r: 9, class: "truth" });
      const estimate = part("line", { x1: x + 13, x2: x + 13, class: "estimate" });
      const mark = svg("rect", { x: -9, y: -4, width: 18, height: 8, rx: 2 });
      const knob = part(
        "g",
        {},
        svg("rect", { x: -16, y: -16, width: 32, height: 32, fill: "transparent" }),
        mark,
        svg("circle", { r: 15, class: "ring" }),
      );
      handle(this.stage, knob, "", {
        drag: (point) => this.claim(step, Math.round(((FLOOR - point.y) / HIGH) * this.data.step)),
        key: arrows((by) => this.claim(step, this.claims[step] + by)),
      });
      return { x, estimate, mark, knob };
    });
    this.track = new Track(this.stage, {
      x: LEFT,
      y: TRACK,
      wide: ACROSS,
      places: this.data.tries.length,
      moved: (place) => this.set(place),
    });
  }

  y(twentieths) {
    return FLOOR - (HIGH * twentieths) / this.data.step;
  }

  claim(step, twentieths) {
    const bounded = Math.max(0, Math.min(this.data.step, twentieths));
    if (bounded === this.claims[step]) return;
    this.claims[step] = bounded;
    this.forget();
    this.update();
  }

  set(tries) {
    if (tries === this.tries) return;
    this.tries = tries;
    this.forget();
    this.update();
  }

  forget() {
    this.seen = null;
    this.games = this.found = 0;
  }

  off(step) {
    return Math.abs(this.claims[step] - this.data.true[step]) / this.data.step;
  }

  isLie(step) {
    return this.off(step) > this.data.tolerance + 1e-9;
  }

  // Bob goes through the steps in order, and Vera checks the first one that he rejects.
  redo() {
    const { step, tries, threshold } = this.data,
      count = tries[this.tries];
    this.seen = this.data.true.map((chance) => {
      let yes = 0;
      for (let n = 0; n < count; n += 1) yes += Number(Math.random() < chance / step);
      return yes / count;
    });
    this.rejected = this.seen.findIndex(
      (share, place) => Math.abs(share - this.claims[place] / step) >= threshold - 1e-9,
    );
    this.games += 1;
    this.found += Number(this.rejected >= 0 && this.isLie(this.rejected));
    this.update();
  }

  // The probabilities that the first step that Bob rejects is a lie, and that it is a true one.
  chances() {
    let so = 1,
      found = 0,
      wrong = 0;
    this.claims.forEach((claim, step) => {
      const rejects = this.data.rejects[step][this.tries][claim];
      if (this.isLie(step)) found += so * rejects;
      else wrong += so * rejects;
      so *= 1 - rejects;
    });
    return { found, wrong };
  }

  update() {
    const { step, threshold, tries } = this.data;
    this.steps.forEach(({ x, estimate, mark, knob }, place) => {
      const claim = this.claims[place],
        rounded = (part) => `${Math.round((100 * part) / step)}%`;
      set(knob, {
        transform: `translate(${x} ${this.y(claim)})`,
        "aria-label": `Step ${place + 1}: claimed ${rounded(claim)}, true ${rounded(this.data.true[place])}. Arrow keys change the claim.`,
      });
      mark.setAttribute("class", `claim${this.isLie(place) ? "" : " fair"}`);
      const share =
        this.seen && (this.rejected < 0 || place <= this.rejected) ? this.seen[place] : null;
      estimate.style.display = share === null ? "none" : "";
      if (share === null) return;
      const [y1, y2] = [Math.min(1, share + threshold), Math.max(0, share - threshold)].map((end) =>
        this.y(end * step),
      );
      set(estimate, { y1, y2, class: `estimate${place === this.rejected ? " far" : ""}` });
    });
    this.track.show(this.tries, `Bob redoes each step ${tries[this.tries]} times`);
    this.fair.hidden = this.claims.every((claim, place) => claim === this.data.true[place]);
    this.stage.say(this.words());
  }

  words() {
    const count = this.data.tries[this.tries],
      lies = this.claims.filter((_, step) => this.isLie(step)).length;
    const { found, wrong } = this.chances();
    const work = `Bob's whole work is ${this.claims.length} × ${count} = ${(this.claims.length * count).toLocaleString("en")} tries, however long Alice computed.`;
    const rule = lies
      ? `He finds a lie with chance ${percent(found)}, and rejects a true step first with chance ${percent(wrong)}.`
      : `He rejects one of the true steps with chance ${percent(wrong)}, and then loses.`;
    if (this.seen) {
      const { rejected } = this,
        score = this.games > 1 ? ` Lies found in ${this.found} of ${this.games} games.` : "";
      const how =
        rejected < 0
          ? `Bob accepts all steps${lies ? ", and the lie stands" : ", rightly"}.`
          : `Bob rejects step ${rejected + 1}. Vera checks this one step: ${this.isLie(rejected) ? "it is false, and Alice loses" : "it is true, and Bob loses"}.`;
      return `${how}${score} ${rule} ${work}`;
    }
    if (!lies)
      return `You are Alice. The circles are the true chances of a yes at each of eight steps. Drag a claim more than 5 points away from its circle, then let Bob redo the steps. ${rule}`;
    return `${lies === 1 ? "One claim is" : `${lies} claims are`} false. ${rule} ${work}`;
  }
}

export const mount = playable(Redo);
