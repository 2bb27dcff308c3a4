// The ending below the verdict: explanation, proof and rewards.

import { make, tableHead } from "./elements.js";
import { badge, rich, signed, twoDecimals } from "./table_parts.js";

// `clipped`: whether the head has no room for the whole explanation.
export function drawEnding({ ending, agents }, dark, clipped) {
  const shown = [];
  if (ending.explanation && clipped) shown.push(rich("p", ending.explanation));
  if (ending.exposing) shown.push(...exposed(ending.exposing));
  if (ending.renaming)
    shown.push(
      make("h3", { text: "The renaming" }),
      make("p", { text: ending.renaming.map(([a, b]) => `${a} → ${b}`).join(", ") }),
    );
  const paid = make(
    "table",
    {},
    make("caption", { text: "Paid" }),
    tableHead(["Seat", "Why", "Reward", "On average"], { class: "unseen" }),
    make(
      "tbody",
      {},
      ...ending.rewards.map((each) =>
        make(
          "tr",
          {},
          make(
            "th",
            { scope: "row" },
            badge(agents[each.seat], each.seat, dark),
            ` ${agents[each.seat].name}`,
          ),
          make("td", { text: each.why }),
          make("td", { class: "number", text: signed(each.total) }),
          make("td", {
            class: "number chance",
            title: "The exact mean",
            text:
              each.random === null
                ? ""
                : `(${twoDecimals(each.random)} on average if everyone plays at random)`,
          }),
        ),
      ),
    ),
  );
  return [make("div", { class: "shows" }, ...shown), make("div", { class: "paid" }, paid)].filter(
    (part) => part.childNodes.length,
  );
}

export function exposed({ input, expected, got }) {
  return [
    make("h3", { text: "An input that shows it" }),
    make("pre", { text: `${input}\nshould be  ${expected}\nis         ${got}` }),
  ];
}
