// What follows from a protocol, beside it: what each seat earns by chance, best replies, and what
// holds under the evidence model, each with its model and the change by the last edit; ideas that
// it has, and remarks with repairs.

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

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const percent = (share) => `${number(100 * share)} %`;

// A number, or the interval in which it is.
function span({ low, high, percent: isShare = false }) {
  const said = isShare ? percent : number;
  return low === high ? said(low) : `${said(low)} to ${said(high)}`;
}

const gains = (reply, own) => reply.low !== null && reply.low > (own.mean ?? own.high) + 1e-9;

// The same number before the last edit.
const same = (before, one) =>
  before?.find(({ what, judge, exact }) => exact && what === one.what && judge === one.judge);

// What the last edit has changed; nothing if either number is not exact.
function changed(one, old) {
  const by = old && one.exact ? one.low - old.low : 0;
  if (Math.abs(by) < 1e-9) return make("span", { class: "change" });
  const size = one.percent ? number(100 * Math.abs(by)) : number(Math.abs(by));
  const text = `${by > 0 ? "+" : "−"}${size}`;
  return make("span", {
    class: `change ${by > 0 ? "up" : "down"}`,
    text,
    title: "by the last edit",
  });
}

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

  buildWorth({ values, replies, evidence, before, done }, { seats }, links) {
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
    const rows = seats.map((seat) => this.earns(seat, values, before.values, most));
    const how = `By chance: everybody chooses at random (${METHOD[values.method] ?? values.method}). ${
      values.turns === null ? "" : `${number(values.turns)} turns on average. `
    }What is written changes nothing here.`;
    return [
      title,
      make("div", { class: "earnings" }, ...rows),
      make("p", { class: "hint", text: how }),
      ...this.buildReplies(replies, values, seats),
      ...(evidence || !done ? this.buildEvidence(evidence, before.evidence, links) : []),
    ];
  }

  // What a seat can earn, at best, if all others choose at random.
  buildReplies(replies, values, seats) {
    const found = seats.filter(({ name }) => replies?.[name] && values.seats[name]);
    if (!found.length) return [];
    const gaining = found.filter(({ name }) => gains(replies[name], values.seats[name]));
    const exact = found.every(({ name }) => replies[name].exact);
    const model = `Best reply to chance, ${exact ? "exact" : "between certain bounds"}: `;
    if (!gaining.length)
      return [make("p", { class: "hint", text: `${model}no seat earns more by another plan.` })];
    const line = ({ name, title }) =>
      make(
        "li",
        {},
        badge(this.editor, name),
        make("span", { class: "who", text: title }),
        make("b", { text: span(replies[name]) }),
      );
    return [
      make("p", { class: "hint", text: `${model}what a seat earns if only it chooses well.` }),
      make("ul", { class: "numbers" }, ...gaining.map(line)),
    ];
  }

  buildEvidence(evidence, before, links) {
    const title = make("h2", { text: "If messages are evidence" });
    if (!evidence) return [title, make("p", { class: "hint", text: "Computing …" })];
    const { model, honest, replies, reason } = evidence;
    if (!honest.length && !replies.length)
      return [title, make("p", { class: "hint", text: `Nothing is known here: ${reason}.` })];
    const told = honest.map((one) =>
      make(
        "li",
        {},
        make("span", { text: capital(`${one.what}${one.judge ? `, ${one.judge}` : ""}`) }),
        make("b", { text: span(one) }),
        changed(one, same(before?.honest, one)),
      ),
    );
    const best = replies.map(({ seat, gain, then }) => {
      const after = then ? ` ${capital(then.what.split(" with ")[0])} then: ${span(then)}.` : "";
      const nothing = gain.low === 0 && gain.high === 0;
      const words = nothing ? "gains nothing by its best reply." : `gains ${span(gain)} by it.`;
      return make("li", {}, badge(this.editor, seat), make("span", { text: words + after }));
    });
    const [shows, fakes, own] = [model.shows, model.fakes, model.own].map(percent);
    const exact = honest.every((one) => one.exact) ? ", exact" : "";
    const how = `Under the evidence model${exact}: whoever argues for what is true has evidence in ${shows} of cases, for what is false in ${fakes}; a judge's own impression is right in ${own}. Experts show all that they have.`;
    return [
      title,
      make("ul", { class: "numbers" }, ...told),
      best.length ? make("h3", { text: "Best reply to honest play" }) : null,
      make("ul", { class: "numbers" }, ...best),
      make("p", { class: "hint" }, how, " ", this.toRewards(links)),
    ].filter(Boolean);
  }

  toRewards(links) {
    if (!links.rewards) return "";
    return make("a", { href: `${links.rewards}&q=wit`, text: "Other models: Rewards" });
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
