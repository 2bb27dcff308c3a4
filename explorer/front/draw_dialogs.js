// Cards to begin with, to let a seat choose, and to try a change.

import { badge, button } from "./draw_fields.js";
import { Keeping } from "./draw_keeping.js";
import { make } from "./elements.js";

const TEMPLATES = [
  ["one prover", "One prover", "A verifier asks, a prover answers, four times at most."],
  ["two provers apart", "Two provers apart", "A verifier asks both; neither reads the other."],
  ["debate", "A debate", "Two sides, a judge, and a passage that the judge cannot see."],
  ["critique", "A critique", "An author, a critic, and a judge who believes one of them."],
  ["audits", "Audits", "A worker that may do harm, and a monitor who can look only twice."],
  ["nothing", "Nothing", "One seat, one channel, one empty turn."],
];

// What a seat can choose: the gesture, a title, and what it does.
const CHOICES = [
  [
    "decide",
    "Accept, reject or go on",
    "It ends play when it decides, and is paid for being right.",
  ],
  ["answer", "Which answer is right", "A or B. The task knows; two others argue for a side."],
  ["probability", "How likely an answer is", "0 to 100%, paid by a proper score."],
  ["agree", "Whether it agrees", "Agree or differ. Play can go on once all agree."],
  ["audits", "Whom it checks", "It lets pass or looks, and may look only twice."],
  ["coin", "A coin", "Drawn by chance, before play."],
];

export class Dialogs {
  constructor(editor) {
    this.editor = editor;
    this.root = make("dialog", { "aria-label": "Choose" });
    this.keeping = new Keeping(editor, this);
    this.root.addEventListener("click", (event) => event.target === this.root && this.close());
  }

  close() {
    this.root.close();
    this.editor.grid.focus();
  }

  open(title, ...content) {
    const close = button("×", "close", () => this.close(), "Close");
    this.root.setAttribute("aria-label", title);
    this.root.replaceChildren(make("h2", { text: title }), ...content.filter(Boolean), close);
    if (!this.root.open) this.root.showModal();
  }

  cards(cards) {
    return make(
      "div",
      { class: "cards" },
      ...cards.map(([press, title, about, off = false]) =>
        make(
          "button",
          { class: "card", type: "button", onclick: press, disabled: off },
          make("b", { text: title }),
          make("span", { text: about }),
        ),
      ),
    );
  }

  begin() {
    const begin = (name, more = {}) => {
      this.close();
      this.editor.begin(name, more);
    };
    const cards = TEMPLATES.map(([name, title, about]) => [() => begin(name), title, about]);
    const list = make(
      "select",
      { "aria-label": "Begin with a protocol" },
      make("option", { value: "", text: "Or with a protocol …" }),
    );
    for (const [family, own] of this.editor.data.protocols) {
      const group = make("optgroup", { label: family });
      group.append(...own.map(([value, text]) => make("option", { value, text })));
      list.append(group);
    }
    list.addEventListener("change", () => list.value && begin(list.value, { protocol: true }));
    const file = button("Or with a file …", "", () => {
      this.close();
      this.editor.source.file.click();
    });
    const own = button("Or with one of yours …", "", () => this.keeping.library());
    const { isKept, data } = this.editor,
      known = data.protocols.length > 0;
    this.open(
      "Begin with",
      this.cards(cards),
      make("div", { class: "row" }, known ? list : null, file, isKept ? own : null),
    );
  }

  choice(by = null) {
    const { editor } = this,
      { facts } = editor;
    let seat = by ?? facts.seats.at(-1).name;
    const put = (what) => {
      this.close();
      this.put(what, seat);
    };
    const show = () => {
      const seats = facts.seats.map((one) =>
        make(
          "button",
          {
            type: "button",
            class: "pill",
            "aria-pressed": one.name === seat ? "true" : "false",
            onclick: () => {
              seat = one.name;
              show();
            },
          },
          badge(editor, one.name),
          one.title,
        ),
      );
      const cards = CHOICES.filter(([what]) => what !== "audits" || facts.seats.length > 1).map(
        ([what, title, about]) => [() => put(what), title, about],
      );
      this.open(
        "A seat chooses",
        make("div", { class: "row" }, ...seats),
        this.cards(cards),
        this.own((given) => {
          this.close();
          editor.do("add_choice", { by: seat, ...given, ...this.turnFor(seat) });
        }),
      );
    };
    show();
  }

  // Options that a person writes.
  own(send) {
    const options = make("input", {
      placeholder: "or options: run, replace, audit",
      "aria-label": "Options, with commas between them",
    });
    const name = make("input", {
      placeholder: "what it is called: action",
      "aria-label": "What it is called",
    });
    const form = make(
      "form",
      { class: "own" },
      options,
      name,
      make("button", { class: "main", text: "Add" }),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = options.value
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean);
      if (words.length) send({ title: name.value.trim() || "choice", options: words });
    });
    return form;
  }

  put(what, seat) {
    const { editor } = this,
      at = this.turnFor(seat);
    const other = editor.facts.seats.find((one) => one.name !== seat)?.name;
    if (what === "coin")
      return editor.do("add_choice", { title: "coin", by: "chance", options: ["heads", "tails"] });
    if (what === "agree")
      return editor.do("add_choice", {
        title: "vote",
        by: seat,
        options: ["agree", "differ"],
        ...at,
      });
    if (what === "audits") return editor.do("audits", { by: seat, of: other, ...at });
    return editor.do(what, { by: seat, ...at });
  }

  // The selected turn, or a selected cell of this seat; else the first turn in which the seat acts.
  turnFor(seat) {
    const { facts, grid, pick } = this.editor;
    if (pick?.kind === "turn") return { stage: pick.stage, turn: pick.turn };
    const cell = pick?.kind === "cell" ? grid.cell() : null;
    const here = cell?.stage === undefined ? null : [cell.stage, cell.turn];
    const first = facts.columns.find((place, n) => place && facts.acts[n][seat]);
    const last = facts.columns.findLast((place) => place);
    const [stage, turn] = (cell?.who === seat && here) || first || here || last;
    return { stage, turn };
  }

  // Changes to try, as soon as the server has said what they would do here.
  changes() {
    const { changes } = this.editor.screen;
    this.waits = !changes;
    if (!changes) {
      this.open("Try a change", make("p", { class: "hint", text: "One moment …" }));
      return this.editor.ask({ look: "changes" });
    }
    const sorted = [...changes].sort(
      (one, other) => Number(Boolean(one.reason)) - Number(Boolean(other.reason)),
    );
    const cards = sorted.map(({ gesture, name, words, reason }) => [
      () => {
        this.close();
        this.editor.do(gesture, {});
      },
      `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      reason || `${words.charAt(0).toUpperCase()}${words.slice(1)}.`,
      Boolean(reason),
    ]);
    return this.open("Try a change", this.cards(cards));
  }

  took() {
    if (this.waits && this.root.open) this.changes();
    this.keeping.took();
  }
}
