// The composer of a seat's move. Typed text is kept in the browser until it is sent.

import { invite } from "./attention.js";
import { make, written } from "./elements.js";
import { draftsOf, forget, keep, keptKeys, recall } from "./memory.js";
import { NO_DOUBLE_TAP, ask } from "./sure.js";
import { unsetSlider } from "./unset.js";
import { drawChoices, plainQuotes, withQuotes } from "./table_choices.js";
import { rich, words } from "./table_parts.js";
import { LANGUAGE, tr } from "./words.js";

const LATE = tr("Not sent yet: it goes out as soon as the connection is back.");
const MOST = 150000; // characters of a move, more than any host accepts
const SIGNS = { accept: "✓ ", reject: "✕ " };
const FEW = 0.6; // the share of the allowed words from which their count is shown

const ASKS = { accept: () => tr("Accept the claim?"), reject: () => tr("Reject the claim?") };
const WORDS = { accept: () => tr("Accept"), reject: () => tr("Reject") };

// A verdict on a button; others than these two are the protocol's own words.
const named = (option, title) => WORDS[option]?.() ?? title[0].toUpperCase() + title.slice(1);

export class Composer {
  constructor(form, place) {
    this.form = form;
    this.place = place;
    this.boxes = [];
    this.made = {}; // the choices made so far
    this.apart = false;
    this.filled = ""; // the last answer from the desk
    this.drawn = 0; // when the last move was made
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.write();
    });
    form.addEventListener("keydown", (event) => {
      if (
        event.target.tagName !== "TEXTAREA" ||
        event.key !== "Enter" ||
        event.shiftKey ||
        event.isComposing
      )
        return;
      event.preventDefault();
      this.write();
    });
  }

  // -- drafts ----------------------------------------------------------------------------------

  draft(channel) {
    return `${draftsOf(this.place.id)}${this.data.seat}/${channel}`;
  }

  typedFor(channel) {
    return recall(this.draft(channel)) || "";
  }

  keep(channel, text) {
    if (text) keep(this.draft(channel), text);
    else forget(this.draft(channel));
  }

  // Typed text without a box, because it is no longer the seat's turn.
  get kept() {
    const typed = new Set(
      this.data.channels.map((channel) => this.typedFor(channel.name)).filter(Boolean),
    );
    return this.boxes.length ? [] : [...typed];
  }

  // A text that this seat has sent since a turn, maybe in another window where it was continued, is
  // no longer a draft. A newly drawn table does not know that turn, so it compares with the seat's
  // latest message.
  forgetSaid(before) {
    const { channels, you, composer } = this.data;
    for (const { name, messages } of channels) {
      const typed = plainQuotes(this.typedFor(name).trim());
      const mine = messages.filter((each) => each.sender === you);
      const said = (
        before ? mine.filter((each) => each.round >= before.round) : mine.slice(-1)
      ).map((each) => each.text);
      if (composer.held) said.push(composer.held.messages[name] || "");
      const isSaid = (text) => text === typed || (before && text.startsWith(typed));
      if (typed && said.some((text) => isSaid(plainQuotes(text.trim())))) this.keep(name, "");
    }
  }

  // The previous person's text is removed once another person sits down at this screen.
  clearOthers() {
    const here = draftsOf(this.place.id);
    for (const key of keptKeys()) {
      if (key.startsWith(here) && !key.startsWith(`${here}${this.data.seat}/`)) forget(key);
    }
  }

  // -- showing ---------------------------------------------------------------------------------

  show(data, send) {
    const { composer, sending } = data;
    const mark = JSON.stringify([this.place.id, data.seat, data.round, composer, data.agents]);
    const refused = data.error && data.error.mark === this.sent?.mark;
    const fresh = mark !== this.mark;
    // Hosts that report what they are sending confirm a move; for others, a new screen confirms it.
    const made = this.waiting && !refused && (sending === undefined ? fresh : sending === null);
    if (fresh && !made && this.data?.seat === data.seat) {
      // Play has continued elsewhere, maybe in another window of this browser: the text is kept.
      for (const box of this.boxes)
        if (box.value) for (const channel of box.channels) this.keep(channel, box.value);
    }
    const before = this.data;
    this.data = data;
    this.send = send;
    if (made) {
      this.clearSent();
      this.drawn = Date.now();
    }
    if (sending) Object.assign(this, { waiting: true, sent: sending });
    if (fresh) this.forgetSaid(before);
    if (fresh || made) {
      const first = this.mark === undefined;
      this.mark = mark;
      this.waiting = Boolean(sending);
      this.build();
      if (fresh && (!first || !matchMedia("(pointer: coarse)").matches)) this.focus();
    }
    this.take(data.draft);
    if (refused) this.tell(data.error);
    else if (sending) this.hold(sending.late ? LATE : "");
  }

  // The move was made and is in the conversation. Text typed since then is kept.
  clearSent() {
    const { messages } = this.sent;
    const wrote = Object.keys(messages).length > 0;
    this.made = {};
    for (const { name } of this.data.channels) {
      const isSent = plainQuotes(this.typedFor(name)) === plainQuotes(messages[name] ?? "");
      if (!wrote || isSent) this.keep(name, "");
    }
    this.sent = null;
    this.sure = null;
  }

  // Whether nothing but a verdict is possible.
  get decides() {
    const { verdict, channels } = this.data.composer;
    return Boolean(verdict?.open) && !channels.length;
  }

  // Moves the focus to the next action, but never to a decision: a key meant for the previous box
  // must not end the game.
  focus() {
    invite(this.boxes[0] || this.verdict);
  }

  build() {
    const { composer } = this.data;
    this.boxes = [];
    this.verdict = null;
    this.last = null;
    this.sender = null;
    this.deciders = [];
    this.alert = make("p", { class: "problem-with", role: "alert", hidden: true });
    const { choices } = composer;
    this.form.hidden = !composer.acts;
    if (this.form.hidden) {
      this.form.replaceChildren();
      return;
    }
    this.clearOthers();
    const boxes = composer.channels.length ? this.drawBoxes() : null;
    const actions = make("div", { class: "actions" });
    const picks = choices.length ? drawChoices(composer, this.made) : null;
    if (boxes || picks)
      actions.append(
        (this.sender = make("button", { class: "send", text: composer.verb, title: tr("Enter") })),
      );
    if (composer.verdict) actions.append(this.drawVerdict(composer.verdict));
    this.form.classList.toggle("last", this.decides);
    this.mover = make("div", { class: "move" }, boxes, actions);
    this.verdict ??= picks;
    this.form.replaceChildren(
      ...[
        boxes ? this.drawAbove() : null,
        picks,
        this.mover,
        this.alert,
        composer.sure ? this.drawSure() : null,
      ].filter(Boolean),
    );
    this.boxes.forEach((box) => this.count(box));
  }

  // A line with the readers of the message, and possible questions.
  drawAbove() {
    const { composer } = this.data;
    const several = composer.channels.length > 1;
    const asks = composer.asks.map((ask) =>
      rich("button", ask, { type: "button", onclick: () => this.insert(ask) }),
    );
    if (!several && !asks.length) return null;
    const way = (apart, text) =>
      make("button", {
        type: "button",
        class: "way",
        "aria-pressed": String(this.apart === apart),
        text,
        onclick: () => {
          this.apart = apart;
          this.build();
          this.focus();
        },
      });
    return make(
      "div",
      { class: "above" },
      several
        ? make(
            "div",
            { class: "ways", role: "group", "aria-label": tr("To whom") },
            way(false, composer.channels.length === 2 ? tr("To both alike") : tr("To all alike")),
            way(true, tr("To each apart")),
          )
        : null,
      asks.length
        ? make(
            "div",
            {
              class: "chips",
              role: "group",
              "aria-label": tr("Questions that were prepared"),
              tabindex: -1,
            },
            ...asks,
          )
        : null,
    );
  }

  drawBoxes() {
    const { composer, channels, agents, you } = this.data;
    const wanted = composer.channels;
    const typed = new Set(wanted.map((name) => this.typedFor(name)));
    if (typed.size > 1) this.apart = true;
    const groups = this.apart && wanted.length > 1 ? wanted.map((name) => [name]) : [wanted];
    const drawn = groups.map((group, index) => {
      const to = [
        ...new Set(group.flatMap((name) => channels.find((each) => each.name === name).seats)),
      ].filter((seat) => seat !== you);
      const names = new Intl.ListFormat(LANGUAGE).format(to.map((seat) => agents[seat].name));
      const label = to.length ? tr("To {seats}", { seats: names }) : tr("To nobody else");
      const id = `box-${index}`;
      const box = make("textarea", {
        id,
        rows: 1,
        placeholder: composer.hint,
        "aria-label": label,
        "aria-describedby": `${id}-count`,
        title: group.join(", "),
      });
      box.value = this.typedFor(group[0]);
      const count = make("div", { class: "count", id: `${id}-count`, hidden: true });
      box.addEventListener("focus", () => {
        this.last = box;
      });
      box.addEventListener("input", () => this.typed(box));
      Object.assign(box, { channels: group, count });
      this.boxes.push(box);
      return make(
        "div",
        { class: "box" },
        groups.length > 1 ? make("label", { for: id, text: label }) : null,
        box,
        count,
      );
    });
    return make("div", { class: "boxes" }, ...drawn);
  }

  // A verdict may be given in place of a message; before that, its buttons are shown already.
  drawVerdict({ open, options, ends }) {
    const buttons = options.map(([option, title]) => {
      const kind = option in SIGNS ? option : "plain";
      const word = named(option, title);
      const sign = SIGNS[option] ?? "";
      return make("button", {
        type: "button",
        class: kind,
        text: `${sign}${word}`,
        "aria-label": word,
        disabled: !open,
        title: open
          ? ends
            ? tr("Ends the game")
            : tr("In place of a message")
          : tr("It does not count yet"),
        onclick: () => this.decide(option, word, sign, kind),
      });
    });
    if (open) this.deciders = buttons;
    this.verdict = make(
      "div",
      {
        class: "verdict",
        role: "group",
        "aria-label": tr("Your verdict"),
        tabindex: this.decides ? 0 : -1,
      },
      ...buttons,
    );
    return this.verdict;
  }

  drawSure() {
    const value = this.sure ?? null,
      shown = make("output", { text: value === null ? tr("not noted") : `${value}%` });
    const attributes = {
      min: 0,
      max: 100,
      step: 5,
      id: "sure",
      "aria-label": tr("How likely is the claim true, in percent? Only you see this."),
    };
    const slider = unsetSlider({ ...attributes, value }, (sure) => {
      this.sure = sure;
      written(shown, `${sure}%`);
    });
    return make(
      "div",
      { class: "sure" },
      make("span", { text: tr("How likely is it true? Only you see this.") }),
      slider,
      shown,
    );
  }

  // -- typing ----------------------------------------------------------------------------------

  // A draft is filled in once; then it belongs to the person.
  take(draft) {
    if (!draft || draft.mark === this.drafted || !this.boxes.length) return;
    this.drafted = draft.mark;
    for (const [channel, text] of Object.entries(draft.messages)) this.keep(channel, text);
    this.build();
  }

  typed(box) {
    for (const channel of box.channels) this.keep(channel, box.value);
    this.count(box);
    // What was said about the former text is not about this one.
    if (!this.waiting) this.alert.hidden = true;
  }

  insert(text) {
    const box = this.last || this.boxes.find((each) => !each.value) || this.boxes[0];
    if (!box) return;
    box.value = box.value.trim() ? `${box.value.trimEnd()}\n${text}` : text;
    this.typed(box);
    box.focus();
  }

  // Puts an answer from the desk in the place of the last one; what the person has typed stays.
  fill(text) {
    const box = this.last || this.boxes[0];
    if (!box) return;
    const typed = box.value.trim() ? `${box.value.trimEnd()}\n` : "";
    const begun = this.filled && box.value.endsWith(this.filled);
    box.value = `${begun ? box.value.slice(0, -this.filled.length) : typed}${text}`;
    this.filled = text;
    this.typed(box);
    // On a phone, a keyboard would cover what is suggested.
    if (!matchMedia("(pointer: coarse)").matches) box.focus();
  }

  count(box) {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 3}px`;
    const { max_words, max_characters } = this.data.composer;
    const most = max_words ?? max_characters ?? null;
    const used = max_words ? words(box.value) : box.value.trim().length;
    box.count.hidden = most === null || used < FEW * most;
    if (most === null) return;
    const said = max_words
      ? tr("{used} of {most} words", { used, most })
      : tr("{used} of {most} characters", { used, most });
    written(
      box.count,
      used > most ? tr("{said}: take out {number}", { said, number: used - most }) : said,
    );
    box.count.classList.toggle("over", used > most);
  }

  // -- moving ----------------------------------------------------------------------------------

  write() {
    // A second press that was meant for the box before this one says nothing about this one.
    const empty = this.boxes.length > 0 && this.boxes.every((box) => !box.value.trim());
    if (this.decides || (empty && Date.now() - this.drawn < NO_DOUBLE_TAP)) return;
    const messages = {};
    const { choices, verdict } = this.data.composer;
    // With some choices no message is written, so an empty box is not sent.
    for (const box of this.boxes)
      for (const channel of box.channels)
        if (box.value || !choices.length) messages[channel] = box.value;
    const waits = verdict?.open ? { [verdict.name]: verdict.wait } : {};
    const move = { messages, choices: { ...this.made, ...waits } };
    const final = choices.find((choice) => choice.final && choice.name in this.made);
    if (!final) return this.act(move);
    const [, words] = final.options.find(([option]) => option === this.made[final.name]);
    this.confirm(
      tr("Choose {choice}?", { choice: words.replace(/\.$/, "") }),
      tr("Yes, {choice}", { choice: words.split(":")[0] }),
      "plain",
      move,
    );
  }

  // A verdict is for all at the table, so it is confirmed first; nothing is sent meanwhile.
  confirm(asks, yes, kind, move) {
    if (this.waiting) return;
    ask(this.mover, { asks, yes, kind, act: () => this.act(move) });
  }

  decide(option, word, sign, kind) {
    const { name, ends } = this.data.composer.verdict;
    const asks = ASKS[option]?.() ?? `${word}?`;
    const then = this.data.alone
      ? tr("This ends the game.")
      : tr("This ends the game for everybody at the table.");
    this.confirm(
      ends ? `${asks} ${then}` : asks,
      `${sign}${tr("Yes, {choice}", { choice: word.toLowerCase() })}`,
      kind,
      { messages: {}, choices: { [name]: option } },
    );
  }

  act(move) {
    if (this.waiting || this.form.hidden) return;
    const { length } = JSON.stringify(move);
    if (length > MOST) {
      this.tell({
        message: tr("This is far too long to be sent: {number} characters. Make it shorter.", {
          number: length.toLocaleString(LANGUAGE),
        }),
      });
      return;
    }
    this.waiting = true;
    this.sent = { ...move, mark: `${Date.now()}-${Math.random()}` };
    this.hold("");
    const marked = this.data.composer.quotes
      ? Object.fromEntries(
          Object.entries(move.messages).map(([name, text]) => [name, withQuotes(text)]),
        )
      : move.messages;
    this.send("act", {
      ...this.sent,
      messages: marked,
      confidence: this.sure ?? null,
      round: this.data.round,
      seat: this.data.seat,
    });
  }

  // Until the move is confirmed or refused.
  hold(words) {
    for (const button of [this.sender, ...this.deciders]) if (button) button.disabled = true;
    this.alert.classList.add("late");
    written(this.alert, words);
    this.alert.hidden = !words;
  }

  // A refusal is shown beside the box that it is about; the text is kept.
  tell(error) {
    this.waiting = false;
    this.sent = null;
    for (const button of [this.sender, ...this.deciders]) if (button) button.disabled = false;
    this.alert.classList.remove("late");
    written(this.alert, error.message);
    this.alert.hidden = false;
    const box =
      this.boxes.find((each) => each.channels.includes(error.channel)) ||
      this.last ||
      this.boxes[0];
    if (box && this.boxes.length > 1) box.parentNode.append(this.alert);
    (box || this.verdict)?.focus();
  }
}
