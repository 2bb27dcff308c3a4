// An episode that plays itself, round by round, until it is stopped or over.
import { element } from "./home_element.js";

const STAYS = 2600; // ms, a round
const TIMES = 2; // then it rests at its end

const badge = ({ badge }) => element("b", { class: `badge ${badge.toLowerCase()}`, text: badge });

export class Story {
  constructor(data) {
    this.data = data;
    this.last = data.steps.length - 1;
    this.at = 0;
    this.times = 0;
    this.timer = 0;
    this.button = element("button", { type: "button", onclick: () => this.toggle() });
    this.about = element("p", { class: "about" });
    this.cells = [];
    this.said = data.steps.map((step) => step.said.map(({ seat, text }) => this.message(seat, text)));
    this.verdict = element("p", { class: "verdict" }, [
      badge(data.seats.verifier), element("strong", { text: "Reject." }), element("span", { class: data.verdict.right ? "right" : "wrong", text: `${data.verdict.right ? "✓" : "✗"} ${data.verdict.text}` }),
    ]);
    this.root = element("figure", { class: "story", "aria-label": "A short episode" }, [
      element("figcaption", {}, [element("p", { class: "claim", text: data.claim }), element("pre", { text: data.code, tabindex: "0", "aria-label": "The program" })]),
      this.grid(),
      element("div", { class: "now" }, [this.about, this.button]),
      element("div", { class: "talk" }, [...this.said.flat(), this.verdict]),
    ]);
  }

  message(seat, text) {
    return element("p", { class: "message" }, [badge(this.data.seats[seat]), element("span", { text })]);
  }

  grid() {
    const { rounds, bands, decides, seats } = this.data;
    const columns = [...Array(rounds).keys()];
    const heads = columns.map((round) => round <= this.last
      ? element("button", { type: "button", class: "round", text: round + 1, "aria-label": `Round ${round + 1}`, onclick: () => { this.stop(); this.show(round); } })
      : element("span", { class: "round", text: round + 1 }));
    this.heads = heads;
    const rows = [element("span"), ...heads];
    const lane = (name, cells) => {
      rows.push(element("span", { class: "name", text: name }), ...cells);
      cells.forEach((cell, round) => (this.cells[round] ??= []).push(cell));
    };
    for (const band of bands) {
      for (const { seat, speaks } of band.lanes) {
        const kind = seats[seat].badge.toLowerCase();
        lane(seats[seat].name, speaks.map((speaks) => element("i", { class: speaks ? `cell ${kind}` : "cell" })));
      }
      rows.push(element("span", { class: "gap" }));
    }
    lane("Verdict", decides.map((may) => element("i", { class: may ? "cell mark" : "cell none" })));
    return element("div", { class: "grid", style: `--rounds: ${rounds}` }, rows);
  }

  show(round) {
    this.at = round;
    const over = round === this.last;
    this.heads.forEach((head, place) => place === round ? head.setAttribute("aria-current", "step") : head.removeAttribute("aria-current"));
    this.cells.forEach((cells, place) => cells.forEach((cell) => {
      cell.classList.toggle("done", place <= round);
      cell.classList.toggle("here", place === round);
    }));
    this.said.forEach((messages, place) => messages.forEach((message) => message.classList.toggle("shown", place <= round)));
    this.verdict.classList.toggle("shown", over);
    this.about.textContent = this.data.steps[round].about;
    this.label();
  }

  label() {
    this.button.textContent = this.timer ? "Pause" : this.at === this.last ? "Play again" : "Play";
  }

  start() {
    // Whoever prefers less motion is shown the end, and may start it.
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(this.last);
    else this.play(0);
  }

  play(round) {
    this.stop();
    const next = () => {
      if (this.at < this.last) this.show(this.at + 1);
      else if (++this.times < TIMES) this.show(0);
      else { this.stop(); return; }
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
  }
}
