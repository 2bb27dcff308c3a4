// Where a seat makes its move. What is typed is kept in the browser until the move is made.

class Composer {
  constructor(form, place) {
    this.form = form;
    this.place = place;
    this.boxes = [];
    form.addEventListener("submit", (event) => { event.preventDefault(); this.write(); });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.write(); }
    });
  }

  draft(channel) {
    return `nip-draft/${this.place.id}/${this.data.seat}/${this.data.round}/${channel}`;
  }

  // What the person before has typed goes once another sits down at this screen.
  clearOthers() {
    const here = `nip-draft/${this.place.id}/`;
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(here) && !key.startsWith(`${here}${this.data.seat}/`)) localStorage.removeItem(key);
    }
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    const { composer } = data;
    const mark = JSON.stringify([this.place.id, data.seat, data.round, composer, data.agents]);
    this.form.hidden = !composer.channels.length;
    if (mark !== this.mark) {
      const fresh = this.mark !== undefined;
      this.mark = mark;
      this.waiting = false;
      this.build();
      if (fresh && !this.form.hidden) this.boxes[0]?.focus({ preventScroll: true });
    }
    this.take(data.draft);
    this.tell(data.error);
  }

  // A draft goes into the boxes once; what it is then is the person's.
  take(draft) {
    if (!draft || draft.mark === this.drafted || !this.boxes.length) return;
    this.drafted = draft.mark;
    for (const box of this.boxes) if (box.channel in draft.messages) box.value = draft.messages[box.channel];
    this.typed(this.boxes[0]);
  }

  build() {
    const { composer, channels, agents, seat } = this.data;
    this.boxes = [];
    this.last = null;
    this.alert = make("p", { class: "problem-with", role: "alert", hidden: true });
    if (!composer.channels.length) { this.form.replaceChildren(this.alert); return; }
    this.clearOthers();
    const several = composer.channels.length > 1;
    const parts = composer.channels.map((name, index) => {
      const channel = channels.find((each) => each.name === name);
      const others = channel.readers.filter((reader) => reader !== agents[seat].name);
      const id = `box-${index}`;
      const box = make("textarea", { id, rows: 3, "aria-describedby": `${id}-count` });
      box.value = localStorage.getItem(this.draft(name)) || "";
      const count = make("div", { class: "count", id: `${id}-count` });
      box.addEventListener("focus", () => { this.last = box; });
      box.addEventListener("input", () => this.typed(box));
      Object.assign(box, { channel: name, count });
      this.boxes.push(box);
      return make("div", {}, make("label", { for: id, text: `To ${others.join(" and ") || "nobody else"}${several ? ` (${name})` : ""}` }), box, count);
    });
    if (several) {
      this.same = make("input", { type: "checkbox", id: "same" });
      this.same.addEventListener("change", () => this.last && this.typed(this.last));
      parts.push(make("div", { class: "sure" }, this.same, make("label", { for: "same", text: "Write the same to all", style: "margin:0" })));
    } else this.same = null;
    if (composer.asks.length) {
      parts.push(make("div", { class: "chips", role: "group", "aria-label": "Questions that scripted experts have prepared" },
        ...composer.asks.map((ask) => rich("button", ask, { type: "button", onclick: () => this.insert(ask) }))));
    }
    if (composer.may_decide) parts.push(this.confidence());
    this.sender = make("button", { class: "send", text: composer.may_decide ? "Ask on" : "Send", title: "Ctrl+Enter" });
    const actions = [this.sender];
    this.deciders = [];
    if (composer.may_decide) {
      for (const [decision, text] of [[1, "Accept"], [0, "Reject"]]) {
        const button = make("button", { type: "button", text, onclick: () => this.act({ decision, messages: {} }) });
        this.deciders.push(button);
        actions.push(button);
      }
    }
    const hints = ["Ctrl+Enter sends."];
    if (composer.may_decide) hints.push(composer.counts ? "Accept and Reject end the episode." : "A decision does not count in this round yet: nobody will hear it.");
    if (composer.may_decide && composer.last_turn) hints.push("Nobody can answer a question any more.");
    this.why = make("p", { class: "hint", text: hints.join(" ") });
    this.form.replaceChildren(...parts, this.alert, make("div", { class: "actions" }, ...actions), this.why);
    this.boxes.forEach((box) => this.count(box));
  }

  confidence() {
    const notes = this.data.confidence;
    const before = notes.length ? notes[notes.length - 1][1] : 50;
    this.sure = null;
    const shown = make("output", { text: "not noted" });
    const slider = make("input", { type: "range", min: 0, max: 100, step: 5, id: "sure", "aria-label": "How sure are you that the statement is true, in percent?" });
    slider.value = before;
    slider.addEventListener("input", () => { this.sure = Number(slider.value); shown.textContent = `${slider.value} %`; });
    return make("div", { class: "sure" }, make("span", { text: "Privately: how likely is the statement true?" }), slider, shown);
  }

  typed(box) {
    if (this.same?.checked) for (const other of this.boxes) if (other !== box) other.value = box.value;
    for (const each of this.boxes) {
      const key = this.draft(each.channel);
      if (each.value) localStorage.setItem(key, each.value); else localStorage.removeItem(key);
      this.count(each);
    }
  }

  insert(text) {
    const box = this.last || this.boxes.find((each) => !each.value) || this.boxes[0];
    if (!box) return;
    box.value = box.value.trim() ? `${box.value.trimEnd()}\n${text}` : text;
    this.typed(box);
    box.focus();
  }

  count(box) {
    const used = words(box.value), most = this.data.composer.max_words;
    box.count.textContent = used > most ? `${used} of ${most} words: take out ${used - most}` : `${used} of ${most} words`;
    box.count.classList.toggle("over", used > most);
  }

  write() {
    const messages = Object.fromEntries(this.boxes.map((box) => [box.channel, box.value]));
    this.act({ messages, decision: 2 });
  }

  act(move) {
    if (this.waiting || !this.boxes.length) return;
    this.waiting = true;
    this.sent = `${Date.now()}`;
    for (const button of [this.sender, ...this.deciders]) button.disabled = true;
    this.alert.hidden = true;
    this.send("act", { ...move, confidence: this.sure, round: this.data.round, seat: this.data.seat, mark: this.sent });
  }

  // What was refused comes back with its reason; the text is still there.
  tell(error) {
    if (!error || error.mark !== this.sent) return;
    this.waiting = false;
    for (const button of [this.sender, ...this.deciders]) button.disabled = false;
    this.alert.textContent = error.message;
    this.alert.hidden = false;
    (this.last || this.boxes[0])?.focus();
  }
}
