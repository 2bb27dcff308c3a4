// Positions: you are the verifier with one question left. Results are stored in the browser.

import { make, mounting } from "./elements.js";
import { keep, recallObject } from "./memory.js";
import { ownPositions } from "./positions_own.js";
import { flowing, rich } from "./table_parts.js";

const KEPT = "nip-positions";
const GOOD = 10; // points below the best question that still count as solved

class Positions {
  constructor(root) {
    this.root = root;
    this.done = recallObject(KEPT);
  }

  destroy() {
    this.root.replaceChildren();
  }

  show(data) {
    if (this.data) return;
    this.data = { ...data, positions: [...ownPositions(), ...data.positions] };
    this.go(
      Math.max(
        0,
        this.data.positions.findIndex(({ name }) => !(name in this.done)),
      ),
    );
  }

  go(place) {
    this.place = place;
    this.draw();
  }

  draw() {
    const { positions } = this.data,
      position = positions[this.place];
    const replies = make("div", { class: "replies", role: "status" });
    this.asks = make(
      "div",
      { class: "asks" },
      ...position.questions.map((each) =>
        make(
          "button",
          { type: "button", onclick: () => this.ask(each, replies) },
          rich("span", each.ask),
        ),
      ),
    );
    const lines = position.program.replace(/\n$/, "").split("\n");
    this.root.replaceChildren(
      make(
        "div",
        { class: "positions" },
        this.menu(),
        make(
          "h3",
          {},
          position.title,
          make("small", {
            text: ` ${position.difficulty}${position.seat ? " · from a game that you lost" : ""}`,
          }),
        ),
        make(
          "div",
          { class: "sides" },
          make(
            "section",
            {},
            rich("p", flowing(position.question)),
            make("pre", {
              tabindex: 0,
              "aria-label": "The program",
              text: lines.map((line, n) => `${String(n + 1).padStart(2)}  ${line}`).join("\n"),
            }),
          ),
          make(
            "section",
            {},
            ...position.said.map(({ who, text }) =>
              make("div", { class: "said" }, make("b", { text: who }), rich("p", text)),
            ),
          ),
        ),
        make("h4", {
          text:
            position.provers > 1
              ? "One question left, which both provers get. What do you ask?"
              : "One question left. What do you ask?",
        }),
        this.asks,
        replies,
      ),
    );
  }

  menu() {
    const { positions } = this.data,
      solved = positions.filter(({ name }) => this.done[name] <= GOOD).length;
    const squares = positions.map(({ name, title }, place) => {
      const gap = this.done[name],
        mark = gap === undefined ? `${place + 1}` : gap <= GOOD ? "✓" : "–";
      const state = gap === undefined ? "not tried" : gap <= GOOD ? "solved" : "weak question";
      const button = make("button", {
        type: "button",
        text: mark,
        title: title,
        "aria-label": `Position ${place + 1}, ${title}: ${state}`,
        class: gap <= GOOD ? "solved" : "",
        onclick: () => this.go(place),
      });
      if (place === this.place) button.setAttribute("aria-current", "true");
      return button;
    });
    this.squares = make("nav", { "aria-label": "Positions" }, ...squares);
    return make(
      "div",
      { class: "head" },
      make("p", {
        text: `Position ${this.place + 1} of ${positions.length} · ${solved} solved on this device`,
      }),
      this.squares,
    );
  }

  ask(asked, replies) {
    const { positions } = this.data,
      position = positions[this.place];
    const ranked = [...position.questions].sort((one, other) => one.after - other.after),
      [best] = ranked;
    const gap = asked.after - best.after;
    this.done[position.name] = Math.min(gap, this.done[position.name] ?? 100);
    keep(KEPT, JSON.stringify(this.done));
    this.root.querySelector(".head").replaceWith(this.menu());
    for (const button of this.asks.children)
      button.setAttribute(
        "aria-pressed",
        `${button.textContent === asked.ask.replaceAll("`", "")}`,
      );
    const verdict =
      gap < 0.5
        ? "The best question."
        : gap <= GOOD
          ? "Good: nearly the best question."
          : "A weak question.";
    const parts = [
      make("h4", { text: verdict }),
      make("p", {
        text: `The claim is false. On average${position.seat ? ", against the provers of that game" : ""}, the belief of a verifier that checks every answer goes from ${position.before}% to ${percent(asked.after)}.`,
      }),
      ...this.answer("The likeliest answer", asked, position),
    ];
    if (gap > GOOD)
      parts.push(
        rich("p", `Better: “${best.ask}” On average, belief falls to ${percent(best.after)}.`),
        ...this.answer("The likeliest answer to that", best, position),
      );
    const next = (this.place + 1) % positions.length;
    replies.replaceChildren(
      ...parts,
      make(
        "ul",
        { "aria-label": "All questions, by the belief that is left" },
        ...ranked.map((each) =>
          make(
            "li",
            { class: each === asked ? "yours" : "" },
            rich("span", each.ask),
            make("i", {}, make("i", { style: `width: ${each.after}%` })),
            make("b", { text: percent(each.after) }),
          ),
        ),
      ),
      make("button", {
        type: "button",
        class: "next",
        text: "Next position",
        onclick: () => {
          this.go(next);
          this.root.querySelector(".head").scrollIntoView({ block: "nearest" });
          this.squares.children[next].focus({ preventScroll: true });
        },
      }),
    );
  }

  answer(label, { likely }, position) {
    if (!likely) return []; // in one's own lost games, only the best question has it
    const after =
      likely.belief === position.before
        ? `belief stays at ${likely.belief}%`
        : `belief goes to ${likely.belief}%`;
    return [
      make("p", {
        class: "quiet",
        text: `${label} (${percent(likely.chance)} of games), after which ${after}:`,
      }),
      ...likely.texts.map((text) => rich("blockquote", text)),
    ];
  }
}

export const mount = mounting(Positions);

const percent = (number) => `${Math.round(number)}%`;
