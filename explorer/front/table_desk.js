// What a prover knows of what it was asked, and answers that it could give. A suggestion fills the
// box; it is never sent by a click.

import { make } from "./elements.js";
import { rich } from "./table_parts.js";
import { tr } from "./words.js";

const BARS = 3;
const SOON = tr("Your desk comes in a moment…");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// `fill` takes an answer, `quote` words of the text.
export function drawDesk(desk, { fill, quote }) {
  if (desk.coming) return [make("p", { class: "coming", role: "status", text: SOON })];
  const values = desk.facts.filter((each) => each.kind === "value");
  const lists = desk.facts.filter((each) => each.kind !== "value");
  return [
    make(
      "div",
      { class: "desk-head" },
      make("h3", {}, ...(desk.call ? about(desk.call) : [tr("What you know")])),
      desk.belief ? meter(desk.belief) : null,
    ),
    values.length || lists.length
      ? make("div", { class: "known-facts" }, ...values.map(value), ...lists.map(list(quote)))
      : null,
    desk.says.length ? answers(desk.says, fill) : null,
  ].filter(Boolean);
}

// Of what the facts are, which a call names.
function about(call) {
  const [before, after] = tr("What you know of {call}").split("{call}");
  return [before, make("code", { text: call }), after];
}

// Beliefs come from an estimator that was counted in games of scripts.
function meter({ who, percent }) {
  const words = tr(
    "The verifier ({who}) believes you: {number}%, our estimate of how likely it accepts in the end, from games of scripted players.",
    { who, number: percent },
  );
  return make(
    "p",
    {
      class: "meter",
      title: words,
    },
    make("span", { class: "who", text: tr("{who} believes you", { who }) }),
    make("i", { style: `--b: ${percent}%`, "aria-hidden": "true" }),
    make("b", { text: `${percent}%` }),
    make("span", { class: "who", text: tr("our estimate") }),
  );
}

function value({ title, text, right }) {
  const sign = right === null ? null : right ? "✓" : tr("✕ wrong");
  return make(
    "div",
    { class: "fact" },
    make("h4", {}, title, sign && make("span", { class: right ? "right" : "wrong", text: sign })),
    make("code", { text }),
  );
}

const list =
  (quote) =>
  ({ kind, title, lines }) =>
    make(
      "div",
      { class: `fact of-${kind}` },
      make(
        "h4",
        {},
        title,
        kind === "quotes" ? make("small", { text: ` ${tr("tap to quote")}` }) : null,
      ),
      make(
        "ul",
        {},
        ...lines.map((text) =>
          make(
            "li",
            {},
            kind === "quotes"
              ? make("button", {
                  type: "button",
                  text,
                  // Inner quotation marks would end the quote.
                  onclick: () => quote(`“${text.replace(/[“”"]/g, "'")}”`),
                })
              : rich("span", text),
          ),
        ),
      ),
    );

function answers(says, fill) {
  const buttons = says.map((each) => answer(each));
  for (const [index, button] of buttons.entries())
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      fill(says[index].text);
    });
  return make(
    "div",
    {
      class: "ways-to-answer",
      role: "group",
      "aria-label": tr("Answers you could give; one fills the box"),
    },
    ...buttons,
  );
}

function answer({ kind, title, text, risk, bars }) {
  return make(
    "button",
    { type: "button", class: `offer ${kind}`, "aria-pressed": "false", title: tr("Fills the box") },
    make("strong", { text: title }),
    rich("span", text, { class: "offered" }),
    risk
      ? make(
          "span",
          { class: "risk" },
          make(
            "i",
            { "aria-hidden": "true" },
            ...Array.from({ length: BARS }, (_, at) => make("u", { class: at < bars ? "on" : "" })),
          ),
          make("b", { text: capital(risk) }),
        )
      : null,
  );
}
