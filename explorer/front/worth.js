// Seats' values: controls, how episodes end, a panel for each seat, and a table.

import { Controls } from "./controls.js";
import { chartOf, keysOf, measuring, onLetters, readDrawing } from "./drawing.js";
import { make, mounting, tableHead, written } from "./elements.js";
import { isDark } from "./light.js";
import { badge } from "./table_parts.js";

const HEADS = ["Seat", "Mid-point", "Exact mean", "Standard deviation", "Why they differ"];

class Worth {
  constructor(root, send) {
    const turn = (name, value) => send("knob", { name, value });
    this.title = make("h3", { class: "title" });
    this.knobs = make("div", { class: "knobs" });
    this.numbers = make("div", { class: "numbers" });
    this.pays = make(
      "details",
      { class: "pays" },
      make("summary", { text: "Payoffs" }),
      this.numbers,
    );
    this.error = make("p", { class: "error", role: "alert" });
    this.says = make("p", { class: "says", role: "status" });
    this.picture = make("div", { class: "picture" });
    this.keys = make("ul", { class: "keys" });
    this.facts = make("table", { class: "facts" });
    this.worth = make(
      "div",
      { class: "worth" },
      this.title,
      this.knobs,
      this.pays,
      this.error,
      this.says,
      this.picture,
      this.keys,
      make("div", { class: "wide" }, this.facts),
    );
    root.replaceChildren(this.worth);
    this.measure = null;
    this.above = new Controls(this.knobs, turn);
    this.paid = new Controls(this.numbers, turn);
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.picture);
    this.deaf = onLetters(() => this.fit());
  }

  destroy() {
    this.above.destroy();
    this.paid.destroy();
    this.watcher.disconnect();
    this.deaf();
  }

  show(data) {
    this.data = data;
    written(this.title, data.title);
    this.above.show(data.knobs);
    this.pays.hidden = !data.payoffs.length;
    this.paid.show(data.payoffs);
    this.error.hidden = !data.error;
    written(this.error, data.error);
    written(this.says, data.says);
    this.drawing = readDrawing(data.drawing);
    this.fit();
    this.keys.replaceChildren(
      ...keysOf(this.drawing, isDark(this.picture), this.measure ?? (() => 0)),
    );
    this.tabulate();
  }

  fit() {
    const room = this.picture.clientWidth;
    if (!this.drawing || !room) return;
    this.measure ??= measuring(this.picture);
    const name = "The distribution of each seat's episode reward; the table below has its means";
    this.picture.replaceChildren(
      chartOf(this.drawing, room, isDark(this.picture), this.measure, name),
    );
  }

  tabulate() {
    const { seats, rows } = this.data;
    const dark = isDark(this.picture);
    const number = (value) =>
      make("td", {
        class: "number",
        text: value === null ? "–" : `${+value.toPrecision(4)}`.replace("-", "−"),
      });
    this.facts.replaceChildren(
      tableHead(HEADS),
      make(
        "tbody",
        {},
        ...rows.map((row) =>
          make(
            "tr",
            {},
            make(
              "th",
              { scope: "row" },
              badge(seats[row.seat], row.seat, dark),
              ` ${seats[row.seat].name}`,
            ),
            number(row["mid-point"]),
            number(row["exact mean"]),
            number(row["standard deviation"]),
            make("td", { text: row.why }),
          ),
        ),
      ),
    );
  }
}

export const mount = mounting(Worth);
