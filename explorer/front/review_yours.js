// What the reader's own answers were worth, if they argued, and where a script's belief fell.

import { make } from "./elements.js";
import { rich } from "./table_parts.js";

export function yours({ review, agents, you }, root) {
  const claims = (review.claims ?? []).filter((each) => each.agent === you);
  const falls = (review.falls ?? []).filter((each) => claims.length || each.by.includes(you));
  if (!claims.length && !falls.length) return [];
  return [
    make(
      "section",
      { class: "yours" },
      make("h3", { text: "Your answers" }),
      make("ul", { class: "claims" }, ...claims.map((each) => claim(each, root))),
      ...falls.map((each) => fall(each, agents, you, root)),
    ),
  ];
}

function claim({ round, about, claimed, actual, holds }, root) {
  const is = about.includes("(") ? "it returns" : "it is";
  const end = holds ? ", and so it is" : `; ${is} \`${actual}\``;
  const said = `${holds ? "✓" : "✕"} Here you said \`${claimed}\` of \`${about}\`${end}.`;
  return make(
    "li",
    { class: holds ? "right" : "wrong" },
    turn(round, root),
    " ",
    rich("span", said),
  );
}

function fall({ agent, round, said, by, before, after, why }, agents, you, root) {
  const whose = by.includes(you) ? "your answer" : "what was said";
  return make(
    "div",
    { class: "fall" },
    make(
      "p",
      {},
      make("strong", { text: `From here on it fell: ` }),
      `the belief of ${agents[agent].name} went from ${before}% to ${after}% in `,
      turn(round, root, false),
      said === null ? null : `, after ${whose} in `,
      said === null ? null : turn(said, root, false),
      ".",
    ),
    ...why.map((text) => make("q", { text })),
  );
}

function turn(number, root, capital = true) {
  return make("button", {
    type: "button",
    class: "round",
    text: `${capital ? "Turn" : "turn"} ${number + 1}`,
    title: "Show it in the conversation",
    onclick: () => bring(root, number),
  });
}

// Scrolls the messages of a turn into view.
export function bring(root, number) {
  root.dispatchEvent(
    new CustomEvent("nip-round", { detail: number, bubbles: true, composed: true }),
  );
}
