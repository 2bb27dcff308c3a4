// What follows from a protocol, beside it: what each seat earns with the change by the last edit,
// ideas that it has, and remarks with repairs.

import { badge, button, fill, number } from "./draw_fields.js";
import { unfinished } from "./draw_panel.js";
import { make } from "./elements.js";

const METHOD = {
  fractions: "exact",
  floats: "exact up to rounding",
  sampled: "from random plays",
  bounds: "only what the rules allow is known so far",
};
const MOST_WRONG = 8;

export class Beside {
  constructor(editor) {
    this.editor = editor;
    this.worth = make("section", { class: "worth", "aria-label": "What each seat earns" });
    this.ideas = make("section", { class: "ideas", "aria-label": "Ideas in this protocol" });
    this.remarks = make("ul", { class: "remarks", "aria-label": "Remarks" });
  }

  draw() {
    const { worth, facts, ideas, links } = this.editor.screen,
      { dark } = this.editor;
    fill(this.worth, [worth, facts.seats, links.rewards, dark], () =>
      this.buildWorth(worth, facts, links),
    );
    fill(this.ideas, [ideas, dark], () => this.buildIdeas(ideas));
    // Until there are new ones, older remarks stay away: they may be about what is gone.
    const remarks = worth.remarks ?? [];
    fill(this.remarks, [remarks, facts.seats], () => this.buildRemarks(remarks));
    this.editor.grid.dots(remarks);
  }

  buildWorth({ values, before, done }, { seats }, links) {
    const title = make("h2", { text: "What each seat earns" });
    if (!values) {
      const text = done ? "This takes too long to compute." : "Computing …";
      return [title, make("p", { class: "hint", text })];
    }
    const sizes = seats.flatMap(({ name }) => {
      const own = values.seats[name];
      return own ? [own.low, own.high].map((end) => Math.abs(end ?? 0)) : [];
    });
    const most = Math.max(0.01, ...sizes);
    const rows = seats.map((seat) => this.earns(seat, values, before, most));
    const how = `By chance: everybody chooses at random (${METHOD[values.method] ?? values.method}). ${
      values.turns === null ? "" : `${number(values.turns)} turns on average. `
    }What is written changes nothing here.`;
    const more = links.rewards
      ? make("a", { href: links.rewards, text: "Other ways to play: Rewards" })
      : null;
    return [
      title,
      make("div", { class: "earnings" }, ...rows),
      make("p", { class: "hint" }, how, " ", more),
    ];
  }

  earns(seat, values, before, most) {
    const own = values.seats[seat.name];
    const { mean = null, low = null, high = null, fraction = "" } = own ?? {};
    const old = before?.seats[seat.name]?.mean ?? null;
    // A change between sampled numbers may be chance.
    const sure = values.exact && before?.exact;
    const change =
      sure && mean !== null && old !== null && Math.abs(mean - old) > 1e-9 ? mean - old : null;
    const at = (value) => 50 + (50 * value) / most;
    const bar = make("span", { class: "bar" });
    if (low !== null && high !== null) {
      const [from, to] = values.exact ? [Math.min(0, mean), Math.max(0, mean)] : [low, high];
      const style = `left:${at(from)}%;width:${Math.max(0.8, at(to) - at(from))}%;background:${this.editor.look(seat.name).fill}`;
      bar.append(make("i", { style, class: values.exact ? "" : "about" }));
    }
    const span = low === high ? number(low) : `${number(low)} to ${number(high)}`;
    const said = values.exact ? number(mean) : span;
    const changed = change === null ? "" : `${change > 0 ? "+" : "−"}${number(Math.abs(change))}`;
    return make(
      "div",
      { class: "earns" },
      badge(this.editor, seat.name),
      make("span", { class: "who", text: seat.title }),
      bar,
      make("b", { text: said, title: fraction ? fraction.replace("-", "−") : false }),
      make("span", {
        class: `change ${change > 0 ? "up" : "down"}`,
        text: changed,
        title: changed ? "by the last edit" : false,
      }),
    );
  }

  buildIdeas(ideas) {
    if (!ideas.length) return [];
    const line = ({ idea, about, words }) =>
      make(
        "li",
        {},
        make("span", { text: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` }),
        button(
          "×",
          "small",
          () => this.editor.do("drop_idea", { idea, about: about[0] }),
          `No longer: ${words}`,
        ),
      );
    return [make("h2", { text: "Ideas in it" }), make("ul", {}, ...ideas.map(line))];
  }

  buildRemarks(remarks) {
    const repairs = (fixes) =>
      fixes.map(([words, gesture, given]) =>
        button(words, "small", () => this.editor.do(gesture, given)),
      );
    const quiet = unfinished(this.editor, remarks).map(({ text, fixes }) =>
      make("li", { class: "unfinished" }, make("span", { text }), ...repairs(fixes)),
    );
    const wrong = remarks
      .filter((one) => !one.unfinished)
      .slice(0, MOST_WRONG)
      .map(({ tone, place, message, remedy, fixes }) =>
        make(
          "li",
          { class: tone },
          make(
            "span",
            {},
            make("b", { text: `${place}: ` }),
            make("span", { text: message }),
            make("small", { text: ` ${remedy}` }),
          ),
          ...repairs(fixes),
        ),
      );
    return [...quiet, ...wrong];
  }
}
