// Other looks at the protocol: as one seat sees it, with its prompt, and beside another design. They
// change nothing.

import { fill, picker } from "./draw_fields.js";
import { Embedded } from "./draw_embed.js";
import { make, svg, written } from "./elements.js";

// Times at which only something later is seen.
const AFTER = "end";

export class Looks {
  constructor(editor) {
    this.editor = editor;
    this.seat = ""; // whose eyes the picture is seen with; empty for all
    this.place = make("div", { class: "seen-as" });
    this.prompt = make("section", {
      class: "prompt",
      hidden: true,
      tabindex: 0, // it scrolls
      "aria-label": "What a seat is told",
    });
    this.words = make("p", { class: "does", role: "status" });
    this.with_ = make("div");
    this.rows = make("div", { class: "differences" });
    this.embedded = new Embedded();
    this.history = null;
    this.compared = false;
    this.fold = make(
      "details",
      { class: "compare" },
      make("summary", { text: "Two designs side by side" }),
      this.with_,
      this.words,
      this.embedded.host,
      this.rows,
    );
  }

  destroy() {
    this.embedded.destroy();
  }

  draw() {
    this.drawSeat();
    // A notebook has no other pictures.
    this.fold.hidden = !this.editor.data.schedule;
    if (!this.fold.hidden) this.drawBeside();
  }

  // -- as a seat sees it --------------------------------------------------------------------------

  drawSeat() {
    const { editor } = this,
      { seats } = editor.facts;
    if (this.seat && !editor.isSeat(this.seat)) this.seat = "";
    const seen = seats.map(({ name, title }) => [name, `What ${title} sees`]);
    fill(this.place, [seats, this.seat], () => [
      picker("Look at", [["", "Look at all of it"], ...seen], this.seat, (name) => this.look(name)),
    ]);
    this.prompt.hidden = !this.seat;
    const text = editor.screen.prompts?.[this.seat];
    if (!this.seat) return;
    fill(this.prompt, [this.seat, seats, text], () => [
      make("h2", { text: `What ${editor.look(this.seat).title} is told` }),
      make("p", { class: "told", text: text ?? "One moment …" }),
    ]);
  }

  look(name) {
    this.seat = name;
    if (name && !this.editor.screen.prompts) this.editor.ask({ look: "prompts" });
    this.draw();
    this.editor.grid.mark();
  }

  // Veils over what the seat does not see.
  veils(grid) {
    if (!this.seat) return [];
    const { facts } = this.editor;
    return grid.lines.flatMap(({ row, y, height }) => {
      if (!row) return [];
      const [kind, of, who] = row;
      const first = who === this.seat ? 0 : firstSeen(this.editor, kind, of, this.seat);
      const from = { x: grid.x(0), y, width: (first ?? facts.columns.length) * grid.layout.column };
      return from.width ? [svg("rect", { class: "veil", ...from, height })] : [];
    });
  }

  // -- beside another design -----------------------------------------------------------------------

  drawBeside() {
    const { editor } = this,
      { beside, history } = editor.screen;
    fill(this.with_, [beside?.title, editor.data.protocols], () => [this.buildPicker(beside)]);
    this.history = history;
    if (beside && !this.compared) this.fold.open = true;
    this.compared = Boolean(beside);
    written(this.words, beside?.words ?? "");
    this.words.hidden = !beside;
    fill(this.rows, beside?.rows, () => (beside?.rows?.length ? [this.buildRows(beside)] : []));
    this.embedded.host.hidden = !beside?.picture;
    if (beside?.picture) this.show();
  }

  buildPicker(beside) {
    const none = beside ? `Beside: ${beside.title}` : "Beside which design?";
    const list = picker(
      "Compare with",
      [
        ["", none],
        ["first", "How it began"],
        ["now", "As it is now, while it is changed"],
        ...(beside ? [["none", "Nothing"]] : []),
      ],
      "",
      (value) => value && this.compare(value),
    );
    for (const [family, own] of this.editor.data.protocols) {
      const group = make("optgroup", { label: family });
      group.append(...own.map(([value, text]) => make("option", { value: `=${value}`, text })));
      list.append(group);
    }
    return list;
  }

  compare(value) {
    const named = { first: 0, now: this.history.at, none: null };
    const wanted = value.startsWith("=") ? value.slice(1) : named[value];
    this.editor.ask(
      { look: "beside", with: wanted },
      (refused) => refused && this.editor.say(refused.message),
    );
  }

  buildRows({ rows, title }) {
    const cells = (tag, texts) => texts.map((text) => make(tag, { text }));
    return make(
      "table",
      {},
      make("caption", { text: "What differs" }),
      make("thead", {}, make("tr", {}, ...cells("th", ["", title, "Now"]))),
      make(
        "tbody",
        {},
        ...rows.map(([what, was, now]) =>
          make("tr", {}, make("th", { text: what, scope: "row" }), ...cells("td", [was, now])),
        ),
      ),
    );
  }

  async show() {
    const there = await this.embedded.load(this.editor.data.schedule);
    const { beside } = this.editor.screen;
    if (!beside?.picture) return;
    if (!this.embedded.front) this.embedded.mount(there, () => {});
    this.embedded.front.show({ picture: beside.picture, selected: 0, follows: false });
  }
}

// The first column in which a seat sees something; null if it never does.
function firstSeen(editor, kind, of, seat) {
  const since = editor.thing(kind, of)?.seen[seat];
  if (since === undefined) return null;
  if (since === "start") return 0;
  const stage = editor.facts.stages.find(({ name }) => name === since);
  if (stage) return stage.first;
  // Such as "end of repetition": it is seen, but later.
  const last = editor.facts.columns.length - 1;
  return since === AFTER ? last : 0;
}
