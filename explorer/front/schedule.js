// A schedule with a selected round: the drawing, the round in words and, for a long schedule, an
// overview. It can fill a projector.

import {
  draw,
  drawCells,
  fitsIn,
  flat,
  layOut,
  measuring,
  onLetters,
  readDrawing,
} from "./drawing.js";
import { make, mounting, svg, written } from "./elements.js";
import { History, writeRound } from "./history.js";
import { isDark, onLight } from "./light.js";
import { Miniature } from "./miniature.js";
import { Stages } from "./stages.js";

const IDLE = 150; // ms without another choice before a round is reported to the page
const PACE = 2600; // ms per round when the walk plays by itself
// Events that begin the use of another control.
const LEAVING = ["pointerdown", "keydown", "focusin"];
const SLIM = 520,
  LARGEST = 2.6;

class Schedule {
  constructor(root, send) {
    this.send = send;
    this.root = root;
    /** @type {History | null} */
    this.history = null;
    this.selected = 0;
    this.measure = null;
    this.startWalk();
    this.zoom = 1;
    this.build();
    this.refit = () => this.fit();
    this.paper = () => this.fit(680);
    this.watcher = new ResizeObserver(() => {
      if (this.view.clientWidth !== this.wide) this.fit();
    });
    this.watcher.observe(this.view);
    this.deaf = [onLight(() => this.recolour()), onLetters(() => this.fit())];
    this.leaves = (event) => {
      if (!event.composedPath().includes(this.stage)) this.hand();
    };
    this.went = () => this.forget();
    for (const name of LEAVING) document.addEventListener(name, this.leaves, true);
    addEventListener("popstate", this.went);
    addEventListener("beforeprint", this.paper);
    addEventListener("afterprint", this.refit);
  }

  destroy() {
    clearTimeout(this.later);
    clearInterval(this.walking);
    for (const end of this.deaf) end();
    this.watcher.disconnect();
    this.overview.destroy();
    this.history?.destroy();
    for (const name of LEAVING) document.removeEventListener(name, this.leaves, true);
    removeEventListener("popstate", this.went);
    removeEventListener("beforeprint", this.paper);
    removeEventListener("afterprint", this.refit);
  }

  build() {
    this.stage = make("div", { class: "stage" });
    this.title = make("strong", { class: "title" });
    this.view = make("div", {
      class: "view",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "schedule",
    });
    this.sheet = make("div", { class: "sheet" });
    this.moving = svg("svg", { class: "moving", "aria-hidden": "true" });
    this.still = svg("svg", { class: "still", "aria-hidden": "true" });
    this.numbers = svg("g");
    this.body = svg("g");
    this.veil = svg("g");
    this.frame = svg("g");
    this.hover = svg("g");
    this.moving.append(this.numbers, this.body, this.veil, this.frame, this.hover);
    this.sheet.append(this.moving, this.still);
    this.view.append(this.sheet);
    this.whole = make("div", {
      class: "whole",
      role: "scrollbar",
      "aria-label": "Turns in view",
      "aria-orientation": "horizontal",
    });
    this.small = make("div", { class: "small" });
    this.pane = make("div", { class: "pane" });
    this.whole.append(this.small, this.pane);
    this.overview = new Miniature(this.small);
    this.narrated = make("div", { class: "narrated" });
    this.buttons = make("div", {
      class: "buttons",
      role: "group",
      "aria-label": "Walk through the turns",
    });
    this.walk = button("walk", "▶ Walk", () => this.toggle());
    this.back = button("step", "‹", () => this.step(-1), "Turn before");
    this.next = button("step", "›", () => this.step(1), "Next turn");
    this.full = button("full", "", () => this.fill(), "Full screen");
    const corners = svg("svg", {
      viewBox: "0 0 16 16",
      width: 16,
      height: 16,
      "aria-hidden": "true",
    });
    corners.append(
      svg("path", {
        d: "M1.5 6V1.5H6M10 1.5h4.5V6M14.5 10v4.5H10M6 14.5H1.5V10",
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 1.8,
      }),
    );
    this.full.append(corners);
    this.buttons.append(this.back, this.walk, this.next, this.full);
    this.narration = make("p", { class: "narration", role: "status" });
    this.ways = make("div", {
      class: "ways",
      role: "group",
      "aria-label": "Which way does play go?",
    });
    this.narrated.append(this.buttons, this.narration, this.ways);
    this.detail = make("p", { class: "detail" });
    this.keys = make("p", { class: "keys" });
    this.tip = make("div", { class: "tip", hidden: "" });
    this.stage.append(
      this.title,
      this.view,
      this.whole,
      this.narrated,
      this.detail,
      this.keys,
      this.tip,
    );
    this.root.replaceChildren(this.stage);
    this.view.addEventListener("scroll", () => this.follow());
    this.view.addEventListener("pointermove", (event) => this.point(event));
    this.view.addEventListener("pointerleave", () => this.point(null));
    this.view.addEventListener("click", (event) => this.click(event));
    this.view.addEventListener("focus", () => this.outline());
    this.view.addEventListener("blur", () => this.outline());
    this.stage.addEventListener("keydown", (event) => this.key(event));
    this.stage.addEventListener("fullscreenchange", () => this.filled());
    for (const name of ["pointerdown", "pointermove"])
      this.whole.addEventListener(name, (event) => this.drag(event));
  }

  // `address`: the key of the round (from 1) in the page's address, if any. `follows`: whether each
  // choice is reported to the page, because it shows something that depends on it. Each change of
  // `query`, the query of a page's address, is a step for the browser's Back.
  show(data) {
    if (data.query !== undefined && data.query !== this.query) {
      const history = (this.history ??= new History());
      requestAnimationFrame(() => history.note());
    }
    this.query = data.query;
    this.address = data.address;
    this.follows = data.follows ?? true;
    // What a component reports may be lost. A page that shows something of an older round is
    // then asked once more.
    const lost = this.follows && data.pick !== undefined ? this.handed : null;
    this.handed = null;
    if (this.follows && this.choice) this.hand();
    else if (lost && lost.pick !== data.pick) this.send("pick", lost);
    // An older answer of the page must not undo a newer choice made here.
    if (!this.pick || data.pick === this.pick) {
      this.pick = null;
      this.moved = data.selected !== this.selected;
      this.selected = data.selected;
      if (this.moved) this.startWalk();
    }
    const dark = isDark(this.root);
    if (data.picture !== this.picture || dark !== this.dark) {
      this.dark = dark;
      this.picture = data.picture;
      const { drawing, overview, ...facts } = JSON.parse(data.picture);
      this.facts = facts;
      this.stages = new Stages(facts.walk);
      this.startWalk();
      this.drawing = readDrawing(drawing);
      this.rows = this.drawing.shapes.filter((one) => one.is === "Row");
      this.small.parentElement.hidden = true;
      this.plain = overview;
      written(this.title, facts.title);
      this.view.setAttribute("aria-label", facts.title);
      this.view.setAttribute("role", facts.columns ? "application" : "img");
      this.narrated.hidden = this.detail.hidden = !facts.columns;
      this.buttons.classList.toggle("alone", facts.columns < 2);
      this.cursor = null;
      this.drawKeys();
      this.fit();
      this.bringIntoView();
    } else if (this.moved) {
      this.mark();
      this.bringIntoView();
    }
    this.moved = false;
  }

  recolour() {
    const dark = isDark(this.root);
    if (dark === this.dark || !this.drawing) return;
    this.dark = dark;
    this.drawKeys();
    this.fit();
  }

  fit(room = null) {
    if (!this.drawing) return;
    this.measure ??= measuring(this.root);
    const width = room ?? this.view.clientWidth;
    this.wide = width;
    if (!width) return;
    const filled = document.fullscreenElement || this.root.getRootNode().fullscreenElement;
    this.zoom = filled
      ? Math.max(1, Math.min(LARGEST, (innerHeight - 230) / this.drawing.height, width / 620))
      : 1;
    const slim = width < SLIM;
    this.layout = layOut(this.drawing, width / this.zoom, { slim, whole: room !== null });
    const high = this.drawing.height;
    const size = (svg, wide) => {
      svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
      svg.setAttribute("width", wide * this.zoom);
      svg.setAttribute("height", high * this.zoom);
    };
    size(this.moving, this.layout.width);
    const seen = Math.min(width / this.zoom, this.layout.width);
    size(this.still, seen);
    Object.assign(this.sheet.style, {
      width: `${this.layout.width * this.zoom}px`,
      height: `${high * this.zoom}px`,
    });
    const parts = flat(this.drawing, this.layout, this.dark, this.measure);
    this.body.replaceChildren(...draw(parts.moving), ...drawCells(parts.cells));
    // Rounds that have scrolled under the names are hidden.
    const paper = svg("rect", {
      class: "under",
      x: 0,
      y: 0,
      width: this.layout.left,
      height: high,
    });
    const still = draw(this.shortened(parts.fixed, seen));
    this.still.replaceChildren(...(this.scrolls() ? [paper] : []), ...still);
    this.whole.hidden = !(this.scrolls() && this.plain && room === null);
    if (!this.whole.hidden) this.overview.show({ drawing: this.plain });
    this.mark();
    this.follow();
  }

  scrolls() {
    return this.layout.width * this.zoom > this.wide + 1;
  }

  // Fixed parts end where the view ends.
  shortened(shapes, seen) {
    return shapes.map((one) => {
      if (one.is !== "Text" || one.anchor !== "start") return one;
      let { text } = one;
      while (text.length > 1 && !fitsIn(seen - one.x, { ...one, text }, this.measure))
        text = `${text.slice(0, -2)}…`;
      return { ...one, text };
    });
  }

  // What depends on the selected round.
  mark() {
    if (!this.layout) return;
    const parts = flat(
      { ...this.drawing, shapes: this.drawing.shapes.filter((one) => one.is === "Numbers") },
      this.layout,
      this.dark,
      this.measure,
      this.facts.columns ? this.selected : null,
    );
    this.numbers.replaceChildren(...draw(parts.numbers));
    this.frame.replaceChildren(...draw(parts.frame));
    this.veil.replaceChildren(...this.fainter());
    this.cursor ??= {
      row: Math.max(
        0,
        this.rows.findIndex((row) => this.facts.speaks.includes(row.codes[this.selected])),
      ),
      round: this.selected,
    };
    this.cursor.round = this.selected;
    this.back.disabled = this.selected <= 0 && !this.trail.length;
    this.next.disabled = this.selected >= this.facts.columns - 1;
    this.tell();
    this.outline();
    this.follow();
  }

  // During a walk, later rounds are paler.
  fainter() {
    if (!this.walks || this.selected >= this.facts.columns - 1) return [];
    const { left, column, width } = this.layout,
      high = this.drawing.height;
    const round = this.drawing.rounds[this.selected];
    const y = round ? round[0] + round[1] : 0;
    const x = round ? 0 : left + (this.selected + 1) * column;
    return [
      svg("rect", {
        class: "later",
        x,
        y,
        width: Math.max(0, width - x),
        height: Math.max(0, high - y),
      }),
    ];
  }

  tell() {
    const { narration, columns } = this.facts;
    if (!columns) return;
    const words = narration.texts[narration.columns[this.selected]];
    const head = this.stages.head(this.place());
    if (this.narration.textContent !== `${head} ${words}`)
      this.narration.replaceChildren(make("b", {}, head), ` ${words}`);
    this.askWays();
    const about = this.rows.length ? this.describe(this.cursor) : null;
    this.detail.replaceChildren(...(about ? [make("b", {}, `${about.head}. `), about.facts] : []));
  }

  // At a guard, the person chooses which way play goes.
  askWays() {
    const ways = this.stages.ways(this.place());
    const asked = JSON.stringify([this.place(), ways]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.ways.hidden = !ways.length;
    this.ways.replaceChildren(
      ...ways.map(({ words, place }) =>
        button("way", words, () => {
          this.stop();
          this.goTo(place, IDLE);
          this.view.focus({ preventScroll: true });
        }),
      ),
    );
  }

  place() {
    return { column: this.selected, repeat: this.repeat };
  }

  startWalk() {
    this.repeat = 0;
    this.trail = [];
  }

  // The next place of the walk; it stops at a guard for a choice.
  goOn(wait) {
    if (this.stages.ways(this.place()).length) {
      this.stop();
      this.ways.firstElementChild.focus({ preventScroll: true });
      return;
    }
    const on = this.stages.onward(this.place());
    if (on) this.goTo(on, wait);
  }

  goTo({ column, repeat }, wait) {
    this.trail.push(this.place());
    this.repeat = repeat;
    this.choose(column, this.cursor.row, wait, true);
  }

  goBack() {
    const before = this.trail.pop();
    if (!before) return this.choose(Math.max(0, this.selected - 1), this.cursor.row, IDLE);
    this.repeat = before.repeat;
    this.choose(before.column, this.cursor.row, IDLE, true);
  }

  describe({ row, round }) {
    const { lanes, words, says, seen } = this.facts;
    const [head, readers, reader, odd] = lanes[row];
    const [what, hasRead, hasReaders] = says[this.rows[row].codes[round]] ?? ["", false, false];
    const count = seen[reader][round];
    const facts = [what];
    if (hasRead && count !== undefined)
      facts.push(`Has read ${count} message${count === 1 ? "" : "s"} of others before this turn.`);
    if (hasReaders && words[readers]) facts.push(`Will be read by ${words[readers]}.`);
    if (odd) facts.push("The other protocol lacks this row, or who sees it differs.");
    return {
      head: `${this.stages.labels[round]}: ${words[head]}`,
      facts: facts.filter(Boolean).join(" "),
    };
  }

  drawKeys() {
    const layout = { left: 0, column: 0, slim: false };
    this.keys.replaceChildren(
      ...this.drawing.keys.map(({ shapes, words }) => {
        const sign = svg("svg", {
          viewBox: "-1 -9 20 18",
          width: 20,
          height: 18,
          "aria-hidden": "true",
        });
        const parts = flat({ ...this.drawing, shapes }, layout, this.dark, () => 0);
        sign.append(...draw([...parts.fixed, ...parts.moving]));
        return make("span", {}, sign, words);
      }),
      make(
        "span",
        { class: "hint" },
        this.facts.columns > 1 ? "Arrow keys move, the space bar walks." : "",
      ),
    );
  }

  // -- pointer -------------------------------------------------------------------------------

  under(event) {
    const box = this.moving.getBoundingClientRect();
    const x = (event.clientX - box.left) / this.zoom,
      y = (event.clientY - box.top) / this.zoom;
    if (!this.facts.columns) return null;
    if (this.drawing.rounds.length) {
      const round = this.drawing.rounds.findIndex(([top, high]) => y >= top && y < top + high);
      return round < 0 ? null : { row: null, round };
    }
    const seen = (event.clientX - this.view.getBoundingClientRect().left) / this.zoom;
    if (seen < this.layout.left) return null;
    const round = Math.floor((x - this.layout.left) / this.layout.column);
    const row = this.rows.findIndex((one) => y >= one.y && y < one.y + one.height);
    if (round < 0 || row < 0 || round >= this.rows[row].codes.length) return null;
    return { row, round };
  }

  point(event) {
    this.hovered = event && event.pointerType === "mouse" ? this.under(event) : null;
    const about = this.hovered && this.hovered.row !== null ? this.describe(this.hovered) : null;
    this.tip.hidden = !about;
    if (about) {
      this.tip.replaceChildren(make("strong", {}, about.head), make("span", {}, about.facts));
      const outer = this.stage.getBoundingClientRect();
      const x = event.clientX - outer.left,
        y = event.clientY - outer.top;
      const flip = x > outer.width / 2;
      Object.assign(this.tip.style, {
        top: `${y + 18}px`,
        left: flip ? "auto" : `${x + 12}px`,
        right: flip ? `${outer.width - x + 12}px` : "auto",
      });
    }
    this.outline();
  }

  outline() {
    if (!this.layout) return;
    const cursor = this.view.matches(":focus-visible") ? this.cursor : null;
    const box = (cell, line) => {
      const { y, height } = this.rows[cell.row];
      const x = this.layout.left + cell.round * this.layout.column;
      return svg("rect", {
        class: "outline",
        x: x + 0.5,
        y: y + 0.5,
        width: this.layout.column - 1,
        height: height - 1,
        rx: 4,
        "stroke-width": line,
      });
    };
    const marks = [];
    if (this.hovered && this.hovered.row !== null) marks.push(box(this.hovered, 1));
    if (cursor && this.rows[cursor.row]) marks.push(box(cursor, 2));
    this.hover.replaceChildren(...marks);
  }

  click(event) {
    const cell = this.under(event);
    if (!cell) return;
    this.stop();
    this.walks = false;
    this.choose(cell.round, cell.row, 0);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.facts.columns) return;
    const last = this.facts.columns - 1,
      rows = this.rows.length;
    const inside = (row) => (rows ? Math.max(0, Math.min(rows - 1, row)) : 0);
    const { row } = this.cursor;
    const to = {
      ArrowLeft: [this.selected - 1, row],
      ArrowRight: [this.selected + 1, row],
      ArrowUp: rows ? [this.selected, inside(row - 1)] : [this.selected - 1, row],
      ArrowDown: rows ? [this.selected, inside(row + 1)] : [this.selected + 1, row],
      Home: [0, row],
      End: [last, row],
      PageUp: [this.selected, 0],
      PageDown: [this.selected, inside(rows - 1)],
    }[event.key];
    const onButton = event.target.closest?.("button");
    if (to) {
      event.preventDefault();
      this.point(null);
      this.stop();
      this.choose(Math.max(0, Math.min(last, to[0])), to[1], IDLE);
    } else if (event.key === " " && !onButton) {
      event.preventDefault();
      this.toggle();
    } else if (event.key === "f" && !onButton) this.fill();
  }

  // Show the choice without waiting for the page.
  choose(round, row, wait, walked = false) {
    if (!walked && round !== this.selected) this.startWalk();
    if (row !== null) this.cursor = { row, round };
    if (round !== this.selected) {
      this.selected = round;
      this.pick = `${Date.now()}`;
      this.choice = { round, pick: this.pick };
      this.handed = null;
      clearTimeout(this.later);
      const note = () => {
        if (this.address) writeRound(this.address, round + 1);
        if (this.follows) this.hand();
      };
      if (wait) this.later = setTimeout(note, wait);
      else note();
    }
    this.mark();
    this.bringIntoView();
  }

  // The last choice is reported at the latest before another control is used.
  hand() {
    if (!this.choice) return;
    clearTimeout(this.later);
    if (this.address) writeRound(this.address, this.choice.round + 1);
    this.handed = this.choice;
    this.choice = null;
    this.send("pick", this.handed);
  }

  // After the browser's Back, the address counts and not earlier choices.
  forget() {
    clearTimeout(this.later);
    this.choice = this.pick = this.handed = null;
  }

  bringIntoView() {
    if (!this.layout) return;
    const { left, column } = this.layout;
    if (this.drawing.rounds.length) {
      const [top, high] = this.drawing.rounds[this.selected] ?? [0, 0];
      const seen = this.view.clientHeight;
      if (top < this.view.scrollTop || top + high > this.view.scrollTop + seen)
        this.view.scrollTop = top + high / 2 - seen / 2;
      return;
    }
    if (!this.scrolls()) return;
    const from = this.selected * column * this.zoom,
      wide = column * this.zoom;
    const room = this.view.clientWidth - left * this.zoom;
    if (from < this.view.scrollLeft || from + wide > this.view.scrollLeft + room)
      this.view.scrollLeft = from + wide / 2 - room / 2;
  }

  // -- the overview of a long schedule --------------------------------------------------------

  follow() {
    if (this.whole.hidden || !this.layout) return;
    const all = this.layout.column * this.drawing.columns * this.zoom;
    const room = this.view.clientWidth - this.layout.left * this.zoom;
    const share = (pixels) => `${(100 * Math.max(0, Math.min(all, pixels))) / all}%`;
    Object.assign(this.pane.style, { left: share(this.view.scrollLeft), width: share(room) });
    const percent = Math.round((100 * this.view.scrollLeft) / Math.max(1, all - room));
    this.whole.setAttribute("aria-valuenow", percent);
    this.whole.style.setProperty(
      "--at",
      share((this.selected + 0.5) * this.layout.column * this.zoom),
    );
  }

  drag(event) {
    if (event.type === "pointermove" && !(event.buttons & 1)) return;
    event.preventDefault();
    const box = this.whole.getBoundingClientRect();
    const all = this.layout.column * this.drawing.columns * this.zoom;
    const room = this.view.clientWidth - this.layout.left * this.zoom;
    this.view.scrollLeft = ((event.clientX - box.left) / box.width) * all - room / 2;
  }

  // -- the walk ------------------------------------------------------------------------------

  toggle() {
    if (this.walking) return this.stop();
    if (this.facts.columns < 2) return;
    if (this.selected >= this.facts.columns - 1) this.choose(0, this.cursor.row, PACE + IDLE);
    this.walking = setInterval(() => this.go(), PACE);
    this.walks = true;
    this.mark();
    this.said();
  }

  go() {
    this.goOn(PACE + IDLE);
    if (this.selected >= this.facts.columns - 1) this.stop();
  }

  stop() {
    clearInterval(this.walking);
    this.walking = null;
    this.said();
  }

  said() {
    written(this.walk, this.walking ? "❚❚ Pause" : "▶ Walk");
  }

  step(by) {
    this.stop();
    this.walks = true;
    if (by < 0) this.goBack();
    else if (this.selected < this.facts.columns - 1) this.goOn(IDLE);
  }

  fill() {
    if (document.fullscreenElement) document.exitFullscreen();
    else
      this.stage.requestFullscreen?.().then(
        () => this.view.focus(),
        () => {},
      );
  }

  filled() {
    this.stage.classList.toggle("filled", Boolean(document.fullscreenElement));
    this.full.setAttribute(
      "aria-label",
      document.fullscreenElement ? "Leave full screen" : "Full screen",
    );
    this.fit();
  }
}

export const mount = mounting(Schedule);

function button(name, text, press, label = "") {
  const made = make(
    "button",
    { class: name, type: "button", ...(label ? { "aria-label": label, title: label } : {}) },
    text,
  );
  made.addEventListener("click", press);
  return made;
}
