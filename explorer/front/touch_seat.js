// Set how often you check and the prover lies: announce it and see the reply, or play in secret.

import { set, svg, written } from "./elements.js";
import { arrows, COUNT, flag, handle, list, playable, Stage, whole } from "./touch.js";

const LEFT = 56,
  SIZE = 250,
  TOP = 22,
  FLOOR = TOP + SIZE,
  PIN = FLOOR + 16,
  SPEED = 2,
  FLOW = [0.1, 0.3, 0.5, 0.7, 0.9];

class Seat {
  constructor(root) {
    this.stage = new Stage(root, {
      width: 334,
      height: 340,
      name: "How often you check, and how often the prover lies",
    });
    this.check = this.which = 0;
    this.secret = this.tried = false;
    this.forget();
    this.turn = this.stage.button("Both change their habit", () => this.reply());
    this.order = this.stage.button("", () => this.change());
    this.more = this.stage.button("", () => {
      this.which = (this.which + 1) % this.data.fines.length;
      this.restart();
    });
  }

  show(data) {
    this.data = data;
    this.lie = data.steps;
    const often = whole(data.steps),
      fields = {
        check: often,
        lie: often,
        which: whole(data.fines.length - 1),
        secret: flag,
        tried: flag,
        rounds: COUNT,
        total: Number.isFinite,
        path: list(list(often, 2)),
      };
    this.stage.keep(data.keep, this, fields, ({ path, rounds }) => path.length === rounds);
    this.draw();
    this.update();
  }

  get rules() {
    return this.data.fines[this.which];
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    const words = (text, x, y, anchor) =>
      written(part("text", { x, y, "text-anchor": anchor, "font-size": 12, class: "quiet" }), text);
    part("rect", { x: LEFT, y: TOP, width: SIZE, height: SIZE, class: "square" });
    this.safe = part("rect", { y: TOP, height: SIZE, class: "honest" });
    this.flows = FLOW.flatMap((check) =>
      FLOW.map((lie) => ({
        check,
        lie,
        arrow: part("path", { d: "M-8 0 H6 M2 -3.5 L6 0 L2 3.5", class: "flow" }),
      })),
    );
    for (const { y, often } of [
      { y: TOP, often: "always" },
      { y: FLOOR - 16, often: "never" },
    ]) {
      words("it lies", LEFT - 12, y + 4, "end");
      words(often, LEFT - 12, y + 19, "end");
    }
    words("you never check", LEFT, FLOOR + 48, "start");
    words("you always check", LEFT + SIZE, FLOOR + 48, "end");
    this.edge = part("line", { y1: TOP, y2: FLOOR, class: "threshold" });
    this.steady = part("circle", { r: 5, class: "steady" });
    this.trail = part("polyline", { class: "trail" });
    this.dot = part("circle", { r: 8, class: "liar" });
    this.knob = part(
      "g",
      {},
      svg("rect", { x: -18, y: -14, width: 36, height: 34, fill: "transparent" }),
      svg("path", { d: "M0 -11 L9 8 H-9 Z", class: "knob" }),
      svg("circle", { r: 15, class: "ring" }),
    );
    handle(this.stage, this.knob, "", {
      drag: ({ x }) => this.announce(Math.round((this.data.steps * (x - LEFT)) / SIZE)),
      drop: () => {
        this.tried = true;
        this.update();
      },
      key: arrows((by) => {
        this.tried = true;
        this.announce(this.check + by);
      }),
    });
  }

  x(check) {
    return LEFT + (SIZE * check) / this.data.steps;
  }

  y(lie) {
    return FLOOR - (SIZE * lie) / this.data.steps;
  }

  // How much more than honesty a lie earns the prover, and how much more than trust a check earns
  // the verifier.
  lying(check) {
    return this.rules.rewards[check][this.data.steps][1];
  }

  checking(lie) {
    return this.rules.rewards[this.data.steps][lie][0] - this.rules.rewards[0][lie][0];
  }

  // An indifferent follower does what is best for the leader.
  announce(check) {
    this.check = Math.max(0, Math.min(this.data.steps, check));
    if (!this.secret) this.lie = this.lying(this.check) > 1e-9 ? this.data.steps : 0;
    else this.forget();
    this.update();
  }

  change() {
    this.secret = !this.secret;
    this.restart();
  }

  forget() {
    this.rounds = this.total = 0;
    this.path = [];
  }

  restart() {
    this.forget();
    if (this.secret) this.lie = this.data.steps / 2;
    this.announce(this.check);
  }

  // In secret, both move towards their better replies at the same time, so they cycle.
  reply() {
    const { steps } = this.data,
      most = (value) => Math.max(0, Math.min(steps, value));
    const [check, lie] = [this.check, this.lie];
    this.path.push([check, lie]);
    this.check = most(check + SPEED * Math.sign(this.checking(lie)));
    this.lie = most(lie + SPEED * Math.sign(this.lying(check)));
    this.rounds += 1;
    this.total += this.rules.rewards[check][lie][0];
    this.update();
  }

  update() {
    const { steps, lie } = this.data,
      rules = this.rules;
    const edge = LEFT + SIZE * rules.edge;
    set(this.safe, { x: edge, width: LEFT + SIZE - edge });
    set(this.edge, { x1: edge, x2: edge });
    set(this.steady, { cx: edge, cy: FLOOR - SIZE * lie });
    for (const flow of this.flows) {
      const across = Math.sign(this.checking(Math.round(flow.lie * steps))),
        up = Math.sign(this.lying(Math.round(flow.check * steps)));
      flow.arrow.style.display = this.secret && (across || up) ? "" : "none";
      flow.arrow.setAttribute(
        "transform",
        `translate(${LEFT + SIZE * flow.check} ${FLOOR - SIZE * flow.lie}) rotate(${(Math.atan2(-up, across) * 180) / Math.PI})`,
      );
    }
    this.steady.style.display = this.secret ? "" : "none";
    this.trail.setAttribute(
      "points",
      this.secret
        ? [...this.path, [this.check, this.lie]]
            .map(([x, y]) => `${this.x(x)},${this.y(y)}`)
            .join(" ")
        : "",
    );
    set(this.dot, { cx: this.x(this.check), cy: this.y(this.lie) });
    set(this.knob, {
      transform: `translate(${this.x(this.check)} ${PIN})`,
      "aria-label": `You check ${this.percent(this.check)} of the time. Arrow keys change it.`,
    });
    this.turn.hidden = !this.secret;
    // At first, only one pin can be moved.
    this.order.hidden = !this.tried;
    this.more.hidden = !this.tried;
    written(this.order, this.secret ? "Announce it instead" : "Do it in secret");
    written(this.more, `Fine for a lie: ${rules.fine}`);
    this.stage.say(this.words(rules));
  }

  percent(step) {
    return `${Math.round((100 * step) / this.data.steps)}%`;
  }

  words(rules) {
    const two = (value) => value.toFixed(2).replace("-", "−"),
      [mine] = rules.rewards[this.check][this.lie];
    if (!this.secret) {
      const reply = this.lie ? "lies always" : "stays honest",
        start = `You announce: I check ${this.percent(this.check)} of the time. The prover ${reply}, and you earn ${two(mine)} on average`;
      const best = Math.abs(mine - rules.announced) < 1e-9;
      if (best)
        return `${start}: no announcement earns more. In secret, the steady state earns ${two(rules.secret)}.`;
      return `${start}. ${this.tried ? `The best announcement earns ${two(rules.announced)}.` : "Drag the pin: what is the cheapest rule that keeps the prover honest?"}`;
    }
    if (!this.rounds)
      return `In secret, nobody knows the other's habit. Arrows show where each would rather go; the ring is where neither gains (you check ${Math.round(100 * rules.edge)}%, it lies ${Math.round(100 * this.data.lie)}%). Let both change.`;
    return `After ${this.rounds} ${this.rounds === 1 ? "change" : "changes"} you check ${this.percent(this.check)}, it lies ${this.percent(this.lie)}; you have earned ${two(this.total / this.rounds)} on average. The steady state earns ${two(rules.secret)}, the best announcement ${two(rules.announced)}.`;
  }
}

export const mount = playable(Seat);
