// The ending below the verdict: explanation, proof and rewards.

import { make, tableHead } from "./elements.js";
import { badge, rich, signed, twoDecimals } from "./table_parts.js";
import { tr } from "./words.js";

// `clipped`: whether the head has no room for the whole explanation.
export function drawEnding({ ending, agents }, dark, clipped) {
  const shown = [];
  if (ending.explanation && clipped) shown.push(rich("p", ending.explanation));
  if (ending.exposing) shown.push(...exposed(ending.exposing));
  if (ending.renaming)
    shown.push(
      make("h3", { text: tr("The renaming") }),
      make("p", { text: ending.renaming.map(([a, b]) => `${a} → ${b}`).join(", ") }),
    );
  const paid = make(
    "table",
    {},
    make("caption", { text: tr("Paid") }),
    tableHead([tr("Seat"), tr("Why"), tr("Reward"), tr("On average")], { class: "unseen" }),
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
            title: tr("The exact mean"),
            text:
              each.random === null
                ? ""
                : tr("({reward} on average if everyone plays at random)", {
                    reward: twoDecimals(each.random),
                  }),
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
  const rows = [
    [tr("should be"), expected],
    [tr("is"), got],
  ];
  const wide = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.map(([name, value]) => `${name.padEnd(wide)}${value}`);
  return [
    make("h3", { text: tr("An input that shows it") }),
    make("pre", { text: [input, ...lines].join("\n") }),
  ];
}
