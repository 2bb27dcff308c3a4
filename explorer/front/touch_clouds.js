// A hundred studies of two protocols: how many episodes separate the two clouds?

import { set, written } from "./elements.js";
import {
  dice,
  flag,
  maybe,
  newSeed,
  percent,
  playable,
  SEED,
  Stage,
  Track,
  whole,
} from "./touch.js";

const LEFT = 20,
  WIDE = 294,
  ROWS = [96, 196],
  TRACK = 262,
  STUDIES = 100,
  LOW = 30,
  DOT = 4.4,
  HIGH = 62,
  TRUSTED = 0.05; // the share of studies that may see the wrong order

class Clouds {
  constructor(root) {
    this.stage = new Stage(root, {
      width: 334,
      height: 284,
      name: "What a hundred studies see of two protocols",
    });
    this.size = this.pair = 0;
    this.mine = null;
    this.ran = false;
    this.seed = newSeed();
    this.run = this.stage.button("Run my study", () => {
      this.mine = Math.floor(STUDIES * Math.random());
      this.ran = true;
      this.update();
    });
    this.gap = this.stage.button("", () => {
      this.pair = (this.pair + 1) % this.data.right.length;
      this.mine = null;
      this.seed = newSeed();
      this.meet();
      this.update();
    });
  }

  show(data) {
    this.data = data;
    this.stage.keep(data.keep, this, {
      size: whole(data.sizes.length - 1),
      pair: whole(data.right.length - 1),
      mine: maybe(whole(STUDIES - 1)),
      ran: flag,
      seed: SEED,
    });
    this.meet();
    this.draw();
    this.update();
  }

  // Each study draws all its episodes once and looks at the first so many of them.
  meet() {
    const chance = dice(this.seed);
    this.seen = this.data.right[this.pair].map((right) =>
      Array.from({ length: STUDIES }, () => {
        let good = 0,
          episode = 0;
        return this.data.sizes.map((size) => {
          for (; episode < size; episode += 1) good += Number(100 * chance() < right);
          return good / size;
        });
      }),
    );
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    this.labels = ROWS.map((y) =>
      part("text", { x: LEFT, y: y - 78, "font-size": 13, class: "quiet" }),
    );
    for (const y of ROWS) part("line", { x1: LEFT, x2: LEFT + WIDE, y1: y, y2: y, class: "axis" });
    for (const percent of [40, 60, 80, 100])
      written(
        part("text", {
          x: this.x(percent / 100),
          y: ROWS[1] + 15,
          "text-anchor": "middle",
          "font-size": 11,
          class: "quiet",
        }),
        `${percent}%`,
      );
    this.truths = ROWS.map((y) => part("line", { y1: y - 66, y2: y, class: "threshold" }));
    this.dots = ROWS.map((_, which) =>
      Array.from({ length: STUDIES }, () =>
        part("circle", { r: 2.2, class: which ? "worse" : "better" }),
      ),
    );
    this.rings = ROWS.map(() => part("circle", { r: 6, class: "mine" }));
    this.track = new Track(this.stage, {
      x: LEFT,
      y: TRACK,
      wide: WIDE,
      places: this.data.sizes.length,
      moved: (size) => this.take(size),
    });
  }

  x(share) {
    return LEFT + (WIDE * (100 * Math.max(LOW / 100, share) - LOW)) / (100 - LOW);
  }

  take(size) {
    if (size === this.size) return;
    this.size = size;
    this.mine = null;
    this.update();
  }

  update() {
    const { sizes, right, chances } = this.data,
      episodes = sizes[this.size],
      pair = right[this.pair];
    const wrong = this.seen[0].filter(
      (shares, study) => shares[this.size] < this.seen[1][study][this.size],
    ).length;
    ROWS.forEach((floor, which) => {
      const columns = new Map(),
        at = this.seen[which].map((shares) => {
          const x = this.x(shares[this.size]),
            column = Math.round(x / DOT),
            height = columns.get(column) ?? 0;
          columns.set(column, height + 1);
          return { x, height };
        });
      // If many studies have the same result, dots are closer together, so that the tallest column
      // fits.
      const step = Math.min(DOT, HIGH / Math.max(...columns.values()));
      at.forEach(({ x, height }, study) => {
        const y = floor - 4 - step * height;
        for (const dot of study === this.mine
          ? [this.dots[which][study], this.rings[which]]
          : [this.dots[which][study]])
          set(dot, { cx: x, cy: y });
      });
      this.rings[which].style.display = this.mine === null ? "none" : "";
      const truth = this.x(pair[which] / 100);
      set(this.truths[which], { x1: truth, x2: truth });
      written(
        this.labels[which],
        `Protocol ${"AB"[which]}: in truth right ${pair[which]}% of the time`,
      );
    });
    this.track.show(this.size, `Episodes of each protocol: ${episodes}`);
    // At first, only dragging and running a study are possible.
    this.gap.hidden = !this.ran;
    written(this.gap, `B is right ${pair[1]}% of the time: change`);
    this.stage.say(this.words(episodes, wrong, chances[this.pair][this.size]));
  }

  words(episodes, wrong, [good, bad]) {
    const all = `With ${episodes} episodes of each, ${wrong} of these 100 studies see B ahead. On average ${percent(good)} of studies see the right order, ${percent(bad)} the wrong one`;
    const reached = bad < TRUSTED;
    if (this.mine === null)
      return `${all}. ${reached ? "Goal reached" : "Goal: the wrong order in fewer than 5%"}. Then run one study of your own.`;
    const [a, b] = this.seen.map((studies) => studies[this.mine][this.size]);
    const verdict =
      a > b
        ? "A is ahead, which is true"
        : a < b
          ? "B is ahead, which is false"
          : "both look equal";
    return `Your study (ringed) sees A right ${percent(a)} and B ${percent(b)} of the time: ${verdict}. ${all}.`;
  }
}

export const mount = playable(Clouds);
