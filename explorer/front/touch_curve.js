// A liar's curve beside the true one: drag the two points where they touch, then throw a dart.

import { set, svg, written } from "./elements.js";
import {
  arrows,
  COUNT,
  flag,
  handle,
  isStill,
  list,
  maybe,
  playable,
  Stage,
  whole,
} from "./touch.js";

const LEFT = 24,
  WIDE = 290,
  HIGH = 190,
  FLOOR = 206,
  STRIP = 276;

class Curve {
  constructor(root) {
    this.stage = new Stage(root, {
      width: 334,
      height: 302,
      name: "The true curve and the false one",
    });
    this.pins = [0, 6];
    this.size = 0;
    this.first = this.thrown = this.saved = false;
    this.forget();
    this.throw = this.stage.button("Throw the dart", () => this.dart());
    this.more = this.stage.button("", () => {
      this.size = (this.size + 1) % this.data.chances.length;
      this.forget();
      this.update();
    });
    this.order = this.stage.button("", () => this.turn());
  }

  show(data) {
    this.data = data;
    const possible = ({ pins, size, hit }) =>
      this.key(pins) in data.curves && hit < data.chances[size][0];
    this.stage.keep(
      data.keep,
      this,
      {
        pins: list(whole(10), 2),
        size: whole(data.chances.length - 1),
        first: flag,
        thrown: flag,
        saved: flag,
        hit: maybe(COUNT),
        darts: COUNT,
        hits: COUNT,
      },
      possible,
    );
    this.draw();
    this.update();
  }

  forget() {
    this.hit = null;
    this.darts = 0;
    this.hits = 0;
  }

  x(point) {
    return LEFT + (WIDE * point) / 10;
  }

  y(value) {
    return FLOOR - 14 - ((HIGH - 14) * value) / 10;
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    part("line", { x1: LEFT, y1: FLOOR, x2: LEFT + WIDE, y2: FLOOR, class: "axis" });
    this.lit = part("rect", { y: FLOOR - HIGH, width: 20, height: HIGH, rx: 6, class: "lit" });
    this.gaps = this.data.true.map(() => part("line", { class: "gap" }));
    this.data.true.forEach((value, point) => {
      part("circle", { cx: this.x(point), cy: this.y(value), r: 6, class: "true" });
      written(
        part("text", {
          x: this.x(point),
          y: FLOOR + 44,
          "text-anchor": "middle",
          "font-size": 11,
          class: "quiet",
        }),
        point,
      );
    });
    this.dots = this.data.true.map(() => part("circle", { r: 4, class: "false" }));
    this.knobs = this.pins.map((_, which) => {
      const shape = svg("path", { d: "M0 -11 L9 8 H-9 Z", class: "pin" });
      const group = part(
        "g",
        {},
        svg("rect", { x: -16, y: -16, width: 32, height: 30, fill: "transparent" }),
        shape,
        svg("circle", { r: 15, class: "ring" }),
      );
      handle(this.stage, group, "", {
        drag: ({ x }) => this.move(which, Math.round((10 * (x - LEFT)) / WIDE)),
        key: arrows((by) => this.step(which, by)),
      });
      return group;
    });
    this.label = part("text", { x: LEFT, y: STRIP, "font-size": 12, class: "quiet" });
    part("rect", { x: LEFT, y: STRIP + 8, width: WIDE, height: 12, rx: 2, class: "strip" });
    this.share = part("rect", { x: LEFT, y: STRIP + 8, height: 12, class: "shared" });
  }

  key(pins) {
    return [...pins].sort((a, b) => a - b).join();
  }

  // For some pairs of points there is no false curve with the right sum; pins must differ too.
  fits(which, point) {
    const pins = this.pins.map((pin, place) => (place === which ? point : pin));
    return this.key(pins) in this.data.curves ? pins : null;
  }

  move(which, point) {
    const pins = this.fits(which, Math.max(0, Math.min(10, point)));
    if (!pins || this.key(pins) === this.key(this.pins)) return;
    this.pins = pins;
    this.forget();
    this.update();
  }

  step(which, by) {
    for (let point = this.pins[which] + by; point >= 0 && point <= 10; point += by)
      if (this.fits(which, point)) return this.move(which, point);
  }

  turn() {
    this.first = !this.first;
    this.size = 0;
    this.forget();
    this.update();
  }

  dart() {
    const [size] = this.data.chances[this.size];
    const hit = (this.hit = Math.floor(Math.random() * size));
    if (this.first && !this.pins.includes(hit))
      this.pins = this.fits(0, hit) ?? this.fits(1, hit) ?? this.under(hit);
    this.darts += 1;
    this.thrown = true;
    // The picture shows eleven points. With more, any two points are equivalent.
    this.saved = this.size ? hit < 2 : this.pins.includes(hit);
    this.hits += Number(this.saved);
    this.update();
    if (!isStill()) this.lit.animate([{ opacity: 0 }, { opacity: 1 }], 250);
  }

  under(point) {
    return [
      point,
      this.data.true.findIndex((_, other) => this.key([point, other]) in this.data.curves),
    ];
  }

  update() {
    const { data } = this,
      [size, chance] = data.chances[this.size];
    const curve = data.curves[this.key(this.pins)];
    this.knobs.forEach((knob, which) => {
      set(knob, {
        transform: `translate(${this.x(this.pins[which])} ${FLOOR + 14})`,
        "aria-label": `Pin ${which + 1}: the curves touch at ${this.pins[which]}. Arrow keys move it.`,
      });
    });
    curve.forEach((value, point) => {
      const touches = value === data.true[point],
        x = this.x(point);
      set(this.dots[point], { cx: x, cy: this.y(value), class: touches ? "touches" : "false" });
      set(this.gaps[point], { x1: x, x2: x, y1: this.y(value), y2: this.y(data.true[point]) });
    });
    const inside = this.hit !== null && !this.size;
    this.lit.style.display = inside ? "" : "none";
    if (inside) this.lit.setAttribute("x", this.x(this.hit) - 10);
    this.share.setAttribute("width", Math.max(1, WIDE * chance));
    written(this.label, `Points where the dart saves the liar: 2 of ${size}`);
    written(this.more, `Points: ${size}`);
    // At first, only dragging and throwing are possible.
    this.more.hidden = !this.thrown || this.first;
    this.order.hidden = !this.thrown;
    written(this.order, this.first ? "Now: dart before curve" : "Now: curve before dart");
    this.stage.say(this.words(curve, size, chance));
  }

  words(curve, size, chance) {
    const { claim, true: truth } = this.data;
    const [one, other] = this.key(this.pins).split(",");
    const sum = (truth[0] + truth[1]) % 11;
    if (this.hit === null && this.first)
      return "Now the liar sees the dart before it draws. Throw it.";
    if (this.hit === null)
      return `The true curve has s(0) + s(1) = ${sum}. The claim is ${claim}, so the false curve has ${curve[0]} + ${curve[1]} = ${claim} (modulo 11). It touches the truth at ${one} and ${other} only.`;
    const odds = `${this.hits} of ${this.darts} darts saved the liar`;
    if (this.first)
      return `The dart is at ${this.hit}, and a pin went under it. ${odds}: questions that are foreseen are worth nothing.`;
    const theory = `; on average 2 in ${size}, ${(100 * chance).toFixed(size > 100 ? 1 : 0)}%.`;
    if (this.size)
      return `The picture stays at 11 points. With ${size} of them, ${this.saved ? "the dart took one of the two where the curves touch" : "this dart took a point where the curves differ"}. ${odds}${theory}`;
    if (this.saved)
      return `At ${this.hit} the curves touch: from now on the liar tells the truth. ${odds}${theory}`;
    return `At ${this.hit} the liar says ${curve[this.hit]}, and the truth is ${truth[this.hit]}: it has another false claim to defend. ${odds}${theory}`;
  }
}

export const mount = playable(Curve);
