// Dials and what they lead to: each outcome is so many of a hundred dots, some with a goal. Which
// numbers belong to which places of the dials is data, and so is what changes with another way.

import { set, written } from "./elements.js";
import { flag, list, playable, Stage, Track, whole } from "./touch.js";

const WIDE = 334,
  LEFT = 14,
  ACROSS = 306,
  DIAL = 50,
  ROW = 25,
  GAP = 12.2,
  BAR = 74,
  CLOSE = 1e-9, // shares are rounded
  ENOUGH = 6; // moves after which the other ways are offered, even if no goal was reached
const SIGNS = { most: "≤", least: "≥" };
const MEETS = {
  most: (share, end) => share <= end + CLOSE,
  least: (share, end) => share >= end - CLOSE,
};

class Dials {
  constructor(root) {
    this.stage = new Stage(root, { width: WIDE, height: 300, name: "" });
    this.way = this.moves = 0;
    this.won = false;
    this.other = this.stage.button("", () => {
      this.way = (this.way + 1) % this.data.ways.length;
      this.update();
    });
  }

  show(data) {
    this.data = data;
    this.places = data.dials.map(({ start }) => start);
    this.stage.keep(
      data.keep,
      this,
      {
        places: list(whole(1_000), data.dials.length),
        way: whole(data.ways.length - 1),
        moves: whole(1e9),
        won: flag,
      },
      ({ places }) => places.every((place, dial) => place < data.dials[dial].places.length),
    );
    this.draw();
    this.update();
  }

  draw() {
    const { dials, bars, name } = this.data,
      top = DIAL * dials.length + 8;
    set(this.stage.svg, {
      viewBox: `0 0 ${WIDE} ${top + BAR * bars.length}`,
      "aria-label": name,
    });
    this.tracks = dials.map(
      ({ places }, dial) =>
        new Track(this.stage, {
          x: LEFT,
          y: DIAL * dial + 30,
          wide: ACROSS,
          places: places.length,
          moved: (place) => this.move(dial, place),
        }),
    );
    this.rows = bars.map((_, bar) => {
      const y = top + BAR * bar + 14;
      const label = this.stage.part("text", { x: LEFT, y, "font-size": 13 });
      const dots = Array.from({ length: 100 }, (_, n) =>
        this.stage.part("circle", {
          cx: LEFT + 6 + GAP * (n % ROW),
          cy: y + 13 + GAP * Math.floor(n / ROW),
          r: 4.6,
        }),
      );
      return { label, dots };
    });
  }

  move(dial, place) {
    if (place === this.places[dial]) return;
    this.places[dial] = place;
    this.moves += 1;
    this.update();
  }

  // The share of each outcome, from 0 to 1.
  shares() {
    return this.places.reduce((table, place) => table[place], this.data.shares[this.way]);
  }

  update() {
    const { dials, bars, ways } = this.data,
      shares = this.shares();
    dials.forEach(({ label, places }, dial) => {
      const place = this.places[dial];
      this.tracks[dial].show(place, `${label}: ${places[place]}`);
    });
    const met = bars.map(({ goal }, bar) => (goal ? MEETS[goal[0]](shares[bar], goal[1]) : null));
    bars.forEach(({ label, goal, bad }, bar) => {
      const row = this.rows[bar],
        full = Math.round(100 * shares[bar]),
        filled = bad ? "harm" : met[bar] === false ? "short" : "good";
      const aim = goal ? `, goal ${SIGNS[goal[0]]} ${100 * goal[1]} ${met[bar] ? "✓" : "✕"}` : "";
      written(row.label, `${label}: ${hundred(shares[bar])}${aim}`);
      row.dots.forEach((dot, n) => {
        dot.setAttribute("class", n < full ? filled : "none");
      });
    });
    const reached = met.every((one) => one !== false);
    this.won ||= reached;
    // At first, only the dials can be moved.
    this.other.hidden = ways.length < 2 || !(this.won || this.moves >= ENOUGH);
    written(this.other, ways[(this.way + 1) % ways.length].button);
    this.stage.say(this.words(reached, shares));
  }

  words(reached, shares) {
    const { bars, goal, ways } = this.data,
      { told, then } = ways[this.way];
    const found = bars.map(({ label }, bar) => `${label}: ${hundred(shares[bar])}`).join(". ");
    return `${told} ${reached ? `Goal reached. ${then}` : `Goal: ${goal}`} ${found}.`;
  }
}

// So many of a hundred; a small number is not shown as 0.
function hundred(share) {
  const many = 100 * share;
  if (many > 0 && many < 0.05) return "less than 0.1 of 100";
  return `${Number(many.toFixed(1))} of 100`;
}

export const mount = playable(Dials);
