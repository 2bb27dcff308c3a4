// A table for hosts without widgets: adds a row of controls, a box for errors, and a cover shown
// while people swap places at one screen.

import { invite } from "./attention.js";
import { Controls } from "./controls.js";
import { make, mounting, written } from "./elements.js";
import { mount as mountTable } from "./table.js";

class Hotseat {
  constructor(root, send) {
    this.send = send;
    const press = (name, value) =>
      this.send("press", { name, value, seat: this.data.seat, mark: `${Date.now()}` });
    this.bar = make("div", { class: "bar" });
    this.choices = make("div", { class: "choices" });
    this.words = make("p", { class: "words" });
    this.raw = make("pre", { class: "raw" });
    this.trouble = make(
      "section",
      { class: "trouble", role: "alert" },
      this.words,
      this.raw,
      this.choices,
    );
    this.handing = make("h3", { class: "handing" });
    this.nobody = make("p", { class: "nobody" });
    this.here = make("div", { class: "here" });
    this.cover = make(
      "section",
      { class: "cover", tabindex: -1 },
      this.handing,
      this.nobody,
      this.here,
    );
    this.place = make("div", { class: "place" });
    this.hotseat = make(
      "div",
      { class: "hotseat" },
      this.bar,
      this.trouble,
      this.cover,
      this.place,
    );
    root.replaceChildren(this.hotseat);
    this.above = new Controls(this.bar, press);
    this.below = new Controls(this.choices, press);
    this.present = new Controls(this.here, press);
    this.table = null;
  }

  destroy() {
    for (const each of [this.above, this.below, this.present]) each.destroy();
    this.table?.destroy();
  }

  show(data) {
    const { bar, cover, trouble, table } = (this.data = data);
    this.above.show(bar);
    this.trouble.hidden = trouble === null;
    if (trouble) {
      written(this.words, trouble.words);
      this.raw.hidden = !trouble.raw;
      written(this.raw, trouble.raw);
      this.below.show(trouble.choices);
    }
    this.cover.hidden = cover === null;
    if (cover) {
      written(this.handing, cover.title);
      written(this.nobody, cover.text);
      this.present.show(cover.choices);
      // Nothing of the previous person may remain behind the cover.
      const covered = this.table !== null;
      this.table?.destroy();
      this.table = null;
      this.place.replaceChildren();
      if (covered) invite(this.cover);
      return;
    }
    // Each person gets a new table, without what the previous one typed and opened.
    if (this.seat !== table.seat) {
      this.table?.destroy();
      this.table = null;
    }
    this.seat = table.seat;
    this.table ??= mountTable(this.place, this.send);
    this.table.show(table);
  }
}

export const mount = mounting(Hotseat);
