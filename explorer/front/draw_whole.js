// Rules of the whole protocol: its verdict, who knows what is true, numbers that others may change,
// values that the rules work out, and texts about it.

import { badge, button, field, fill, picker, tick, typed } from "./draw_fields.js";
import { make } from "./elements.js";

const TEXTS = {
  about: "What it is about",
  source: "Source",
  family: "Family",
  simplified: "What is simplified",
};
const WAYS = [
  ["is", "always is"],
  ["sum", "is the sum of"],
  ["count", "counts how often"],
  ["max", "is the highest"],
  ["min", "is the lowest"],
  ["first", "is the first"],
  ["last", "is the last"],
];

export class Whole {
  constructor(editor) {
    this.editor = editor;
    this.body = make("div", { class: "whole-body" });
    this.root = make(
      "details",
      { class: "whole" },
      make("summary", { text: "Verdict, settings and texts" }),
      this.body,
    );
    this.root.addEventListener("toggle", () => this.draw());
  }

  draw() {
    if (!this.root.open) return;
    const { facts } = this.editor.screen;
    const { verdict, experts, settings, values, texts, seats, choices } = facts;
    const key = [verdict, experts, settings, values, texts, seats, choices, this.editor.dark];
    fill(this.body, key, () => [
      ...this.verdict(facts),
      ...this.knowing(facts),
      ...this.settings(settings),
      ...this.values(facts),
      ...this.texts(texts),
    ]);
  }

  verdict({ verdict, choices }) {
    const { editor } = this;
    const known = choices.map((one) => [one.name, one.title]);
    const other = verdict && !known.some(([name]) => name === verdict) ? [[verdict, verdict]] : [];
    const list = picker(
      "The verdict is",
      [["none", "nothing"], ...known, ...other, ["…", "write it …"]],
      verdict || "none",
      (of) => {
        if (of !== "…") return editor.do("verdict", { of });
        entry.hidden = false;
        return entry.focus();
      },
    );
    const entry = typed(
      "The verdict, as an expression",
      verdict || "",
      (of) => of && editor.do("verdict", { of }),
      { class: "code", hidden: true, spellcheck: "false" },
    );
    return [field("The verdict is", list, entry)];
  }

  knowing({ experts, seats }) {
    const { editor } = this;
    const given = Array.isArray(experts),
      named = experts ?? [];
    const send = (seat, on) => {
      const chosen = seats
        .map((one) => one.name)
        .filter((one) => (one === seat ? on : named.includes(one)));
      editor.do("know_truth", { seats: chosen });
    };
    const own = tick("Those who argue for a side know what is true", !given, (on) =>
      editor.do("know_truth", on ? {} : { seats: [] }),
    );
    const rows = seats.map((seat) =>
      make(
        "span",
        { class: "factor" },
        badge(editor, seat.name),
        tick(`${seat.title} knows what is true`, named.includes(seat.name), (on) =>
          send(seat.name, on),
        ),
      ),
    );
    return [own, ...(given ? rows : [])];
  }

  settings(settings) {
    const { editor } = this;
    const value = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);
    const rows = settings.map(([name, number]) =>
      field(
        name.replaceAll("_", " "),
        make(
          "span",
          { class: "exit" },
          typed(
            `The setting ${name.replaceAll("_", " ")}`,
            number,
            (text) => text && editor.do("set_setting", { name, value: value(text) }),
            { inputmode: "numeric" },
          ),
          button("×", "small", () => editor.remove("setting", name), `Remove the setting ${name}`),
        ),
      ),
    );
    const add = typed(
      "A new setting",
      "",
      (name) => name && editor.do("set_setting", { name, value: 1 }),
      { placeholder: "name of a new setting" },
    );
    return [
      make("h3", { text: "Numbers that others may change" }),
      ...rows,
      field("Add a setting", add),
    ];
  }

  values({ values }) {
    const { editor } = this;
    const name = make("input", { placeholder: "risk", "aria-label": "Name of the new value" });
    const of = make("input", {
      class: "code",
      placeholder: "a condition or a sum",
      "aria-label": "What the new value is",
      spellcheck: "false",
    });
    const form = make("form", { class: "own" }, name, of, make("button", { text: "Work it out" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (name.value.trim() && of.value.trim())
        editor.do("work_out", { title: name.value.trim(), of: of.value.trim() });
    });
    const known = values.map((one) =>
      button(one.title, "", () => editor.choose({ kind: "value", name: one.name })),
    );
    return [
      make("h3", { text: "Values that the rules work out" }),
      known.length ? make("div", { class: "row" }, ...known) : null,
      form,
    ];
  }

  texts(texts) {
    const { editor } = this;
    return [
      make("h3", { text: "About it" }),
      ...Object.entries(TEXTS).map(([name, label]) =>
        field(
          label,
          typed(label, texts[name] ?? "", (text) =>
            text === (texts[name] ?? "") ? null : editor.do("describe", { field: name, text }),
          ),
        ),
      ),
    ];
  }
}

// -- in the panels of choices and values ------------------------------------------------------------

// How likely the options of a draw of chance are.
export function chances(editor, { name, options, count, weights, grid }) {
  if (grid || count > options.length) return null;
  const send = (text) => {
    const parts = text.split(",").map((part) => part.trim());
    editor.do("set_chances", { choice: name, weights: text ? parts : null });
  };
  return field(
    "How likely",
    typed("Weights, with commas between them", weights.join(", "), send, {
      placeholder: "all the same; or 1, 3",
    }),
  );
}

// What nobody checks, but is taken for true on the word of a seat.
export function takenForTrue(editor, { name, truth_of: about }) {
  return field(
    "Taken for true",
    typed(
      "What its word is taken for",
      about,
      (of) => (of !== about && of ? editor.do("take_word", { choice: name, of }) : null),
      { placeholder: "nothing; or: whether it is harmful" },
    ),
  );
}

export function workedOut(editor, { name, way, of, at }) {
  const send = (more) =>
    editor.do("work_out", { title: name, of, way, ...(at.length ? { at } : {}), ...more });
  const choices = editor.facts.choices.map((one) => [one.name, one.title]);
  const when = (chosen) => (chosen === "is" || at.length ? {} : { at: choices[0]?.[0] });
  return [
    field(
      "It",
      picker("How it is worked out", WAYS, way, (chosen) => send({ way: chosen, ...when(chosen) })),
    ),
    typed("What is worked out", of, (text) => text && send({ of: text }), {
      class: "code",
      spellcheck: "false",
    }),
    way === "is"
      ? null
      : field(
          "Each time of",
          picker("Worked out each time of", choices, at[0] ?? "", (choice) =>
            send({ at: [choice] }),
          ),
        ),
  ];
}
