// Who is paid for what: tables of numbers by what was chosen, and all other rules as sentences.

import { badge, button, condition, field, fill, picker, typed } from "./draw_fields.js";
import { make } from "./elements.js";

const USUAL = [
  ["right", "Paid for a right verdict"],
  ["right or wrong", "+1 if right, −1 if wrong"],
  ["persuades", "Sides are paid for their verdict"],
  ["adversarial", "Two sides, what one wins the other loses"],
  ["together", "All are paid for the truth"],
  ["score", "An estimate, by a proper score"],
  ["cost", "Each act costs a little"],
];

export class Payments {
  constructor(editor) {
    this.editor = editor;
    this.open = null; // the number of the rule that is changed
    this.sent = new Map(); // the amounts of tables that were sent last
    this.root = make("section", { class: "payments", "aria-label": "Payments" });
  }

  draw() {
    const { facts, tables } = this.editor.screen;
    const key = [facts.pay, tables, facts.seats, facts.choices, this.open, this.editor.dark];
    fill(this.root, key, () => this.build(facts, tables));
  }

  build(facts, tables) {
    const tabled = new Set(tables.flatMap((table) => table.rules));
    const rules = facts.pay.map((rule, n) => (tabled.has(n) ? null : this.rule(rule, n)));
    return [
      make("h2", { text: "Who is paid for what" }),
      facts.pay.length ? null : make("p", { class: "hint", text: "Nobody is paid yet." }),
      ...tables.map((table) => this.table(table)),
      make("ul", {}, ...rules.filter(Boolean)),
      make(
        "div",
        { class: "row" },
        this.adder(),
        this.tabler(facts),
        facts.pay.length > 1
          ? button("Remove all payments", "", () => this.editor.do("pay_nothing", {}))
          : null,
      ),
    ];
  }

  adder() {
    const options = [["", "Add a payment …"], ...USUAL, ["own", "Write a rule …"]];
    return picker("Add a payment", options, "", (way, list) => {
      list.value = "";
      const [seat] = this.editor.facts.seats;
      if (way === "own") {
        this.open = this.editor.facts.pay.length;
        this.editor.do("pay", { to: { [seat.name]: 1 }, amount: "1" });
      } else if (way) this.editor.do("usual_pay", { way });
    });
  }

  // A new table: by a choice, or by two.
  tabler(facts) {
    const few = facts.choices.filter((one) => one.count <= 12);
    const pairs = few.flatMap((one, n) => few.slice(n + 1).map((other) => [one, other]));
    const options = [...few.map((one) => [one]), ...pairs].map((own) => [
      own.map((one) => one.name).join(" "),
      own.map((one) => one.title).join(" and "),
    ]);
    if (!options.length) return null;
    return picker(
      "Add a table of payments",
      [["", "Add a table, by …"], ...options],
      "",
      (text, list) => {
        list.value = "";
        if (text) this.newTable(text.split(" "));
      },
    );
  }

  newTable(choices) {
    const counts = choices.map((name) => this.editor.thing("choice", name).count);
    const [seat] = this.editor.facts.seats;
    const rows = Array.from({ length: counts[0] }, () => Array(counts[1] ?? 1).fill(0));
    // A table of zeros is no rule, so it begins with one number.
    rows[0][0] = 1;
    this.editor.do("pay_table", { choices, amounts: { [seat.name]: rows } });
  }

  // The amounts of a table as they are now, with those that are not answered yet: numbers are typed
  // faster than a table is drawn.
  amounts(choices, at) {
    const key = tableKey(choices, at);
    if (this.editor.waiting.size && this.sent.has(key)) return this.sent.get(key);
    return this.editor.screen.tables.find((one) => tableKey(one.choices, one.at) === key)?.amounts;
  }

  table({ choices, options, amounts, at }) {
    const { editor } = this,
      { seats } = editor.facts;
    const named = (choice) => editor.thing("choice", choice)?.title ?? choice;
    const label = (choice, n) =>
      String(editor.thing("choice", choice)?.labels[n] ?? options[choices.indexOf(choice)][n]);
    const [down, across = null] = choices;
    const cells = options[0].flatMap((_, row) =>
      (options[1] ?? [null]).map((_other, column) => ({ row, column })),
    );
    const send = (seat, row, column, text) => {
      const value = Number(text.replace("−", "-").replace(",", "."));
      if (!text || Number.isNaN(value)) return editor.say("Write a number.");
      const last = this.amounts(choices, at) ?? amounts,
        made = { ...last };
      const zeros = options[0].map(() => (options[1] ?? [null]).map(() => 0));
      made[seat] = (last[seat] ?? zeros).map((own, n) =>
        own.map((old, m) => (n === row && m === column ? value : old)),
      );
      this.sent.set(tableKey(choices, at), made);
      return editor.do("pay_table", { choices, amounts: made, at });
    };
    const words = cells.map(({ row, column }) =>
      [label(down, row), across && label(across, column)].filter(Boolean).join(", "),
    );
    const head = (texts, span = 1) =>
      make(
        "tr",
        {},
        make("td"),
        ...texts.map((text) => make("th", { scope: "col", colspan: span, text })),
      );
    const rows = options[0].map((_, row) => label(down, row));
    const heads = across
      ? [
          head(
            rows.map((text) => `${named(down)}: ${text}`),
            options[1].length,
          ),
          head(cells.map(({ column }) => label(across, column))),
        ]
      : [head(rows)];
    const body = seats.map((seat) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, badge(editor, seat.name), make("span", { text: seat.title })),
        ...cells.map(({ row, column }) => {
          const value = amounts[seat.name]?.[row]?.[column] ?? 0;
          const where = words[cells.findIndex((one) => one.row === row && one.column === column)];
          const input = typed(
            `${seat.title} if ${where}`,
            String(value),
            (text) => send(seat.name, row, column, text),
            { inputmode: "decimal", class: value ? "" : "nothing" },
          );
          return make("td", {}, input);
        }),
      ),
    );
    const when =
      at === "end"
        ? "At the end"
        : `Whenever ${editor.thing("choice", at)?.title ?? editor.look(at).title} is given`;
    return make(
      "div",
      { class: "pay-table" },
      make(
        "table",
        {},
        make("caption", { text: `By ${choices.map(named).join(" and ")}. ${when}.` }),
        make("thead", {}, ...heads),
        make("tbody", {}, ...body),
      ),
    );
  }

  rule(rule, n) {
    const { editor } = this;
    const toggle = () => {
      this.open = this.open === n ? null : n;
      this.draw();
    };
    const line = make("button", {
      class: "pay",
      type: "button",
      onclick: toggle,
      "aria-expanded": this.open === n ? "true" : "false",
      text: rule.words,
    });
    const away = button(
      "×",
      "small",
      () => editor.do("remove_rule", { kind: "pay", number: n }),
      `Remove payment ${n + 1}`,
    );
    return make("li", {}, line, away, this.open === n ? this.form(rule, n) : null);
  }

  form(rule, n) {
    const { editor } = this,
      { facts } = editor;
    const change = (changes) => editor.do("change_pay", { number: n, ...changes });
    const times = [
      ["end", "at the end"],
      ...facts.choices.map((one) => [one.name, `each time “${one.title}” is given`]),
      ...facts.seats.map((one) => [one.name, `each time ${one.title} acts`]),
    ];
    const factors = facts.seats.map((seat) => {
      const send = (text) => {
        const all = { ...rule.to, [seat.name]: text || "0" };
        const to = Object.fromEntries(
          Object.entries(all).filter(([, factor]) => Number(factor) !== 0),
        );
        if (Object.keys(to).length) change({ to });
      };
      const input = typed(`${seat.title}, times`, rule.to[seat.name] ?? "", send, {
        placeholder: "0",
        inputmode: "decimal",
      });
      return make("label", { class: "factor" }, badge(editor, seat.name), "×", input);
    });
    return make(
      "div",
      { class: "form" },
      field(
        "Amount",
        typed(`Amount of payment ${n + 1}`, rule.amount, (amount) => amount && change({ amount }), {
          class: "code",
        }),
      ),
      make("div", { class: "factors" }, ...factors),
      condition(editor, "If", rule.when, "always", (when) => change({ when })),
      field(
        "Paid",
        picker("Paid", times, rule.at, (at) => change({ at })),
      ),
    );
  }
}

function tableKey(choices, at) {
  return [...choices, at].join(" ");
}
