// Two liars in two rooms: paint what each would answer, and see which questions catch them.

import { set, svg, written } from "./elements.js";
import {
  COUNT,
  flag,
  handle,
  isStill,
  list,
  maybe,
  PAINTS,
  playable,
  Stage,
  whole,
} from "./touch.js";

const LEFT = 92,
  TOP = 84,
  CELL = 54,
  GAP = 6,
  RADIUS = 20;
const ROOMS = ["left", "right"];

class TwoRooms {
  constructor(root) {
    this.stage = new Stage(root, {
      width: 320,
      height: 372,
      name: "Sixteen questions to two rooms",
    });
    this.plans = [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ];
    this.wall = true;
    this.mended = [];
    this.asked = null;
    this.passed = 0;
    this.painted = false;
    this.draw();
    this.throw = this.stage.button("Throw the dice", () => this.ask());
    this.pull = this.stage.button("Pull the wall down", () => this.turn());
  }

  show(data) {
    this.data = data;
    const question = whole(15);
    this.stage.keep(data.keep, this, {
      plans: list(list(whole(2), 4), 2),
      wall: flag,
      mended: list(question),
      asked: maybe(question),
      passed: COUNT,
      painted: flag,
    });
    this.update();
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    const word = (x, y, text, attributes = {}) =>
      written(part("text", { x, y, "font-size": 13, class: "quiet", ...attributes }), text);
    word(LEFT + 2 * CELL - GAP / 2, 18, "The right room is asked about", {
      "text-anchor": "middle",
    });
    word(20, TOP + 2 * CELL, "The left room is asked about", {
      "text-anchor": "middle",
      transform: `rotate(-90 20 ${TOP + 2 * CELL})`,
    });
    this.cells = [];
    for (let row = 0; row < 4; row++)
      for (let column = 0; column < 4; column++) {
        const x = LEFT + column * CELL,
          y = TOP + row * CELL,
          size = CELL - GAP;
        const box = svg("rect", { x, y, width: size, height: size, rx: 6 });
        const sign = svg("text", {
          x: x + size / 2,
          y: y + size / 2 + 6,
          "text-anchor": "middle",
          "font-size": 18,
        });
        const ring = svg("rect", {
          x: x - 2,
          y: y - 2,
          width: size + 4,
          height: size + 4,
          rx: 8,
          class: "ring",
        });
        const group = part("g", { class: "cell" }, box, sign, ring);
        this.cells.push({ group, box, sign, row, column });
        // With the wall, a cell cannot be chosen, since it follows from both plans.
        handle(this.stage, group, "", { tap: () => this.mend(row * 4 + column) });
      }
    this.knobs = ROOMS.map((_, side) =>
      [0, 1, 2, 3].map((country) => {
        const x = side ? LEFT + country * CELL + (CELL - GAP) / 2 : LEFT - 32;
        const y = side ? TOP - 32 : TOP + country * CELL + (CELL - GAP) / 2;
        const made = this.disc(x, y);
        handle(this.stage, made.group, "", {
          tap: () => this.paint(side, country, (this.plans[side][country] + 1) % 3),
          key: (key) =>
            ["1", "2", "3"].includes(key) && (this.paint(side, country, Number(key) - 1), true),
        });
        return { ...made, x, y };
      }),
    );
    PAINTS.forEach(([letter], colour) => {
      const x = LEFT + colour * 72 + 36,
        y = TOP + 4 * CELL + 36;
      const made = this.disc(x, y);
      this.tint(made, colour, letter);
      handle(this.stage, made.group, `Paint ${letter}: drag it onto a country`, {
        drag: (point) => this.carry(made, colour, x, y, point),
        drop: () => this.put(made),
        tap: () =>
          this.stage.say(
            `Drag paint ${letter} onto a country, or tap a country to change its paint.`,
          ),
      });
    });
    word(LEFT - 66, TOP + 4 * CELL + 41, "Paints");
  }

  disc(x, y) {
    const circle = svg("circle", { cx: x, cy: y, r: RADIUS });
    const letter = svg("text", {
      x,
      y: y + 5,
      "text-anchor": "middle",
      "font-size": 14,
      "font-weight": 600,
    });
    const group = svg(
      "g",
      {},
      circle,
      letter,
      svg("circle", { cx: x, cy: y, r: RADIUS + 4, class: "ring" }),
    );
    this.stage.svg.append(group);
    return { group, circle, letter };
  }

  tint({ circle, letter }, colour, text) {
    const [, fill, ink] = PAINTS[colour];
    circle.setAttribute("fill", fill);
    letter.style.fill = ink;
    written(letter, text);
  }

  // While a paint is dragged, the country under it shows the effect.
  carry(made, colour, x, y, point) {
    made.group.setAttribute("transform", `translate(${point.x - x} ${point.y - y})`);
    const over = this.under(point);
    if (over?.key === this.over?.key) return;
    this.undo();
    this.over = over;
    if (!over) return;
    this.over.before = this.plans[over.side][over.country];
    this.paint(over.side, over.country, colour);
  }

  put(made) {
    made.group.removeAttribute("transform");
    this.over = null;
  }

  undo() {
    if (this.over) this.paint(this.over.side, this.over.country, this.over.before);
    this.over = null;
  }

  under({ x, y }) {
    for (const side of [0, 1])
      for (const country of [0, 1, 2, 3]) {
        const knob = this.knobs[side][country];
        if (Math.hypot(knob.x - x, knob.y - y) < RADIUS + 8)
          return { side, country, key: `${side}${country}` };
      }
    return null;
  }

  paint(side, country, colour) {
    this.plans[side][country] = colour;
    this.painted = true;
    this.restart();
  }

  turn() {
    this.wall = !this.wall;
    this.restart();
  }

  restart() {
    this.mended = [];
    this.passed = 0;
    this.asked = null;
    this.update();
  }

  // Without the wall, both hear both questions and may answer each pair differently.
  mend(place) {
    if (this.wall || !this.caught(place)) return;
    this.mended.push(place);
    this.update();
  }

  ask() {
    const caughtBefore = this.asked !== null && this.caught(this.asked);
    if (caughtBefore) this.passed = 0;
    this.asked = Math.floor(Math.random() * 16);
    if (!this.caught(this.asked)) this.passed += 1;
    this.update();
    if (!isStill()) this.cells[this.asked].box.animate([{ opacity: 0.2 }, { opacity: 1 }], 250);
  }

  caught(place) {
    return !this.mended.includes(place) && !passes(Math.floor(place / 4), place % 4, this.plans);
  }

  update() {
    if (!this.data) return;
    this.knobs.forEach((row, side) =>
      row.forEach((knob, country) => {
        const colour = this.plans[side][country];
        this.tint(knob, colour, `${country}${PAINTS[colour][0]}`);
        knob.group.setAttribute(
          "aria-label",
          `Country ${country} in the ${ROOMS[side]} room: paint ${PAINTS[colour][0]}. Enter changes it.`,
        );
      }),
    );
    this.cells.forEach(({ group, box, sign, row, column }, place) => {
      const caught = this.caught(place);
      box.setAttribute("class", caught ? "caught" : "held");
      box.classList.toggle("asked", place === this.asked);
      sign.setAttribute("class", caught ? "on" : "quiet");
      written(sign, caught ? "✕" : "✓");
      const open = !this.wall && caught;
      group.classList.toggle("open", open);
      set(group, {
        tabindex: open ? 0 : -1,
        role: open ? "button" : "img",
        "aria-label": `Left asked about ${row}, right about ${column}: ${caught ? "caught" : "they pass"}`,
      });
    });
    // At first, only painting is possible.
    this.throw.hidden = this.pull.hidden = !this.painted;
    written(this.pull, this.wall ? "Pull the wall down" : "Put the wall up");
    this.stage.say(this.words());
  }

  words() {
    const red = this.cells.filter((_, place) => this.caught(place)).length;
    const { least, plans, best } = this.data;
    if (this.asked !== null && this.caught(this.asked))
      return `Caught, after ${this.passed} passed. A plan with ${red} red questions passes each with chance ${16 - red}/16, and k in a row with (${16 - red}/16)^k.`;
    if (this.asked !== null)
      return `Passed ${this.passed} in a row. The chance of that was (${16 - red}/16)^${this.passed} = ${Math.round(1000 * ((16 - red) / 16) ** this.passed) / 10}%.`;
    if (!this.wall)
      return red
        ? `No wall: each hears both questions. Tap a red one, and they answer it otherwise. ${red} left.`
        : "No wall, and nothing red: they pass every question. The rooms were the whole proof.";
    if (red <= least)
      return `${red} of 16 questions catch them: they pass with chance ${16 - red}/16. No plan does better. The engine tried all ${plans.toLocaleString("en")}, and ${best} reach this.`;
    return `${red} of 16 questions catch them. Paint a plan that fewer catch.`;
  }
}

export const mount = playable(TwoRooms);

// The verifier's rule, as in `explorer/lessons/games/two_rooms.py`.
export function passes(one, other, plans) {
  const [left, right] = plans;
  return (one === other) === (left[one] === right[other]);
}
