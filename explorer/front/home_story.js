// An episode that plays by itself, round by round, until it is stopped or over.
import { make, written } from "./elements.js";
import { Miniature } from "./miniature.js";

const STAYS = 2600; // ms for each round
const TIMES = 2; // how often it plays

const badge = ({ badge }) => make("b", { class: `badge ${badge.toLowerCase()}`, text: badge });

export class Story {
  constructor(data) {
    this.data = data;
    this.last = data.steps.length - 1;
    this.at = 0;
    this.times = 0;
    this.timer = 0;
    this.button = make("button", { type: "button", onclick: () => this.toggle() });
    this.about = make("p", { class: "about" });
    this.said = data.steps.map((step) =>
      step.said.map(({ seat, text }) => this.message(seat, text)),
    );
    this.verdict = make(
      "p",
      { class: "verdict" },
      badge(data.seats.verifier),
      make("strong", { text: "Reject." }),
      make("span", {
        class: data.verdict.right ? "right" : "wrong",
        text: `${data.verdict.right ? "✓" : "✗"} ${data.verdict.text}`,
      }),
    );
    this.picture = make("div", { class: "picture" });
    this.rounds = data.steps.map((_, round) =>
      make("button", {
        type: "button",
        class: "round",
        "aria-label": `Turn ${round + 1}`,
        onclick: () => {
          this.stop();
          this.show(round);
        },
      }),
    );
    this.root = make(
      "figure",
      { class: "story", "aria-label": "A short episode" },
      make(
        "figcaption",
        {},
        make("p", { class: "claim", text: data.claim }),
        make("pre", { text: data.code, tabindex: "0", "aria-label": "The program" }),
      ),
      make("div", { class: "grid" }, this.picture, ...this.rounds),
      make("div", { class: "now" }, this.about, this.button),
      make("div", { class: "talk" }, ...this.said.flat(), this.verdict),
    );
    this.grid = new Miniature(
      this.picture,
      (_, round) => {
        this.stop();
        this.show(Math.min(round, this.last));
      },
      (layout) => this.place(layout),
    );
  }

  message(seat, text) {
    return make("p", { class: "message" }, badge(this.data.seats[seat]), make("span", { text }));
  }

  // A button covers the number of each round.
  place({ left, column }) {
    this.rounds.forEach((round, place) =>
      Object.assign(round.style, { left: `${left + place * column}px`, width: `${column}px` }),
    );
  }

  show(round) {
    this.at = round;
    this.grid.show({
      drawing: this.data.grid,
      title: this.data.about,
      selected: round,
      picks: true,
    });
    this.rounds.forEach((button, place) =>
      place === round
        ? button.setAttribute("aria-current", "step")
        : button.removeAttribute("aria-current"),
    );
    this.said.forEach((messages, place) =>
      messages.forEach((message) => message.classList.toggle("shown", place <= round)),
    );
    this.verdict.classList.toggle("shown", round === this.last);
    written(this.about, this.data.steps[round].about);
    this.label();
  }

  label() {
    written(this.button, this.timer ? "Pause" : this.at === this.last ? "Play again" : "Play");
  }

  start() {
    // People who prefer reduced motion see the end and may start the episode.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(this.last);
    else this.play(0);
  }

  play(round) {
    this.stop();
    const next = () => {
      if (this.at < this.last) this.show(this.at + 1);
      else if (++this.times < TIMES) this.show(0);
      else {
        this.stop();
        return;
      }
      this.timer = setTimeout(next, this.at === this.last ? 2.2 * STAYS : STAYS);
    };
    this.timer = setTimeout(next, STAYS);
    this.show(round);
  }

  toggle() {
    if (this.timer) this.stop();
    else {
      this.times = TIMES - 1;
      this.play(this.at === this.last ? 0 : this.at);
    }
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.label();
  }

  destroy() {
    clearTimeout(this.timer);
    this.grid.destroy();
  }
}
