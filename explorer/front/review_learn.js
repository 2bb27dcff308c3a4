// Learning from a lost game: back to the moment of the better question, which is to be found.

import { make, written } from "./elements.js";
import { rich } from "./table_parts.js";

const ALMOST = 0.8; // the share of the best question's gain from which another one is as good

// `more` are further buttons; `found` is called once the question was found or shown.
export function learnFrom({ best, questions, yardstick }, root, more, found) {
  const turn = `turn ${best.round + 1}`;
  const said = make("p", { class: "said", role: "status" });
  const gain = (after) => Math.abs(best.before - after);
  const told = (after) => `${best.before}% to ${after}%`;
  const chips = questions.map(({ ask, after }) =>
    rich("button", ask, { type: "button", onclick: () => tried(ask, after) }),
  );
  const mark = (ask, kind) =>
    chips.forEach((chip, place) => {
      if (questions[place].ask === ask) chip.classList.add(kind);
    });
  const tried = (ask, after) => {
    const good = gain(after) >= ALMOST * gain(best.after) || ask === best.question;
    mark(ask, good ? "right" : "wrong");
    written(
      said,
      good
        ? `✓ It would have moved the belief of the ${yardstick} from ${told(after)} on average.`
        : `✕ It moves the belief from ${told(after)} on average. There is a better one.`,
    );
    if (good) end();
  };
  const end = () => {
    found();
    reveal.hidden = true;
  };
  const reveal = make("button", {
    type: "button",
    class: "again",
    text: "Show me",
    onclick: () => {
      mark(best.question, "right");
      written(
        said,
        `“${best.question}” would have moved the belief of the ${yardstick} from ${told(best.after)} on average.`,
      );
      end();
    },
  });
  const search = make(
    "div",
    { class: "search", hidden: true },
    make("div", { class: "chips", role: "group", "aria-label": "Questions" }, ...chips),
    said,
    reveal,
  );
  // The conversation ends where the question could have been asked.
  const go = make("button", {
    type: "button",
    class: "again",
    text: `Back to ${turn}`,
    "aria-expanded": "false",
    onclick: () => {
      const back = search.hidden;
      search.hidden = !back;
      go.setAttribute("aria-expanded", String(back));
      written(go, back ? "Back to the end" : `Back to ${turn}`);
      root.dispatchEvent(
        new CustomEvent("nip-until", {
          detail: back ? best.round : null,
          bubbles: true,
          composed: true,
        }),
      );
    },
  });
  return make(
    "section",
    { class: "learn" },
    make("h3", { text: "Learn from this game" }),
    make("p", {
      text: `In ${turn} there was a better question. Go back, and find the one that would have told you most.`,
    }),
    go,
    search,
    ...more.filter(Boolean),
  );
}
