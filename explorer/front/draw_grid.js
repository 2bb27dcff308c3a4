// The picture of a protocol as its editor: the drawing, over it a grid of cells to press, and
// handles, which are buttons. All lines of the grid can be reached by arrow keys.

import { draw, drawCells, flat, layOut, measuring, readDrawing } from "./drawing.js";
import { button, eye } from "./draw_fields.js";
import { dragEdge, dragTurn } from "./draw_drag.js";
import { make, svg, written } from "./elements.js";

// Heights in the drawing (explorer/pictures/grid.py): stages' names, their brackets, the numbers.
export const NAMES = 33,
  NUMBERS = 44,
  HEADING = 24;
const SLIM = 520,
  SLIMMEST = 25, // 46 pixels, once enlarged
  EYE = 26,
  TOUCHED = 1.84; // how much larger rows are for fingers

export class Grid {
  constructor(editor) {
    this.editor = editor;
    this.cursor = { line: 0, column: 0 };
    this.anchor = null; // the other corner of a block of cells
    this.pool = new Map();
    this.measure = null;
    this.zoom = 1;
    this.dragged = false;
    this.view = make("div", { class: "view" });
    this.sheet = make("div", { class: "sheet" });
    this.moving = svg("svg", { class: "moving", "aria-hidden": "true" });
    this.still = svg("svg", { class: "still", "aria-hidden": "true" });
    this.body = svg("g");
    this.hopes = svg("g");
    this.marks = svg("g");
    this.moving.append(this.body);
    // What follows the pointer has a layer of its own: painting it does not paint the picture again.
    this.layer = svg("svg", { class: "moving layer", "aria-hidden": "true" });
    this.layer.append(this.hopes, this.marks);
    this.cells = make("div", { class: "cells", role: "grid", "aria-label": "The protocol" });
    this.over = make("div", { class: "over" });
    this.sheet.append(this.moving, this.layer, this.still, this.cells, this.over);
    this.view.append(this.sheet);
    // What is said about a cell stands over what is below the picture.
    this.root = make("div", { class: "picture" }, this.view);
    this.cells.addEventListener("click", (event) => this.click(event));
    this.cells.addEventListener("pointerdown", (event) => this.down(event));
    this.cells.addEventListener("pointerover", (event) => this.hover(event));
    this.cells.addEventListener("pointerleave", () => this.hover(null));
    this.cells.addEventListener("focusin", (event) => this.focused(event));
    this.watcher = new ResizeObserver(() => this.view.clientWidth !== this.wide && this.fit());
    this.watcher.observe(this.view);
  }

  destroy() {
    this.watcher.disconnect();
  }

  // -- data -------------------------------------------------------------------------------------

  take(drawing) {
    const before = this.lines && this.identity();
    const other = this.anchor && this.identity(this.anchor);
    this.drawing = readDrawing(drawing);
    this.rows = this.drawing.shapes.filter((one) => one.is === "Row");
    this.lines = linesOf(this.editor.facts, this.rows);
    if (before) this.find(before);
    else this.toFirst();
    if (other) this.find(other, this.anchor);
    for (const at of [this.cursor, this.anchor]) if (at) this.clamp(at);
    this.fit();
  }

  // The first turn of the first seat, or whatever there is.
  toFirst() {
    const line = this.lines.findIndex((one) => one.row?.[0] === "channel");
    const column = this.editor.facts.columns.findIndex((place) => place);
    this.cursor = { line: Math.max(1, line), column };
  }

  // What the cursor is at, by name: an edit may add lines above it.
  identity({ line, column } = this.cursor) {
    return { key: this.lines[line]?.key, place: this.editor.facts.columns[column], column };
  }

  find({ key, place, column }, corner = this.cursor) {
    const line = this.lines.findIndex((one) => one.key === key);
    if (line >= 0) corner.line = line;
    const { columns } = this.editor.facts;
    const at = place ? columns.findIndex((one) => one && one.join() === place.join()) : -1;
    corner.column = at >= 0 ? at : column;
  }

  clamp(corner) {
    const last = this.editor.facts.columns.length - 1;
    corner.line = Math.max(0, Math.min(corner.line, this.lines.length - 1));
    corner.column = Math.max(-1, Math.min(corner.column, last));
  }

  get line() {
    return this.lines[this.cursor.line];
  }

  // What a cell is: the seat, channel or choice, the turn, and whether something happens there.
  cell(line = this.cursor.line, column = this.cursor.column) {
    const { row } = this.lines[line] ?? {},
      { facts } = this.editor;
    if (!row || column < 0) return null;
    const [kind, of, who] = row,
      place = facts.columns[column];
    const acts = facts.acts[column][who] ?? [];
    const on =
      kind === "channel"
        ? acts.some((act) => act.say.includes(of))
        : kind === "choice" && acts.some((act) => act.choose.includes(of));
    const able =
      place !== null && (kind === "channel" || (kind === "choice" && who !== "task")) && who !== "";
    return { kind, of, who, column, stage: place?.[0], turn: place?.[1], on, able };
  }

  // The cells between the anchor and the cursor: seats, and turns of one stage that follow each
  // other. Without an anchor it is one cell.
  block() {
    const { facts } = this.editor,
      corners = [this.cursor, this.anchor ?? this.cursor];
    const [first, last] = ends(corners.map((at) => at.line));
    const [from, to] = ends(corners.map((at) => at.column));
    const who = this.lines.slice(first, last + 1).map(({ row }) => row?.[2]);
    const seats = [...new Set(who.filter((name) => name && this.editor.isSeat(name)))];
    const [stage, turn] = facts.columns[from] ?? [0, 0];
    return { seats, stage, turn, count: to - from + 1, first, last, from, to };
  }

  // -- drawing ----------------------------------------------------------------------------------

  x(column) {
    return this.layout.left + column * this.layout.column;
  }

  get low() {
    const [top, high] = this.drawing.bands.at(-1) ?? [NUMBERS, 20];
    return top + high;
  }

  fit() {
    if (!this.drawing) return;
    this.measure ??= measuring(this.view);
    this.wide = this.view.clientWidth;
    this.zoom = matchMedia("(pointer: coarse)").matches ? TOUCHED : 1;
    const width = this.wide / this.zoom;
    if (!width) return;
    const slim = width < SLIM,
      { drawing } = this;
    const roomy = {
      ...drawing,
      left: Math.max(drawing.left, 90) + EYE,
      slim: Math.max(70, drawing.slim + EYE),
      least: this.zoom > 1 ? SLIMMEST : Math.max(36, drawing.least),
    };
    this.layout = layOut(roomy, width, { slim });
    const high = drawing.height,
      wide = this.layout.width;
    for (const [one, own] of [
      [this.moving, wide],
      [this.layer, wide],
      [this.still, Math.min(width, wide)],
    ]) {
      one.setAttribute("viewBox", `0 0 ${own} ${high}`);
      one.setAttribute("width", own);
      one.setAttribute("height", high);
    }
    const size = { width: `${wide}px`, height: `${high}px`, zoom: `${this.zoom}` };
    Object.assign(this.sheet.style, size);
    const parts = flat(drawing, this.layout, this.editor.dark, this.measure);
    this.body.replaceChildren(
      ...draw(parts.moving),
      ...drawCells(parts.cells),
      ...draw(parts.numbers),
    );
    const paper = svg("rect", { class: "under", width: this.layout.left, height: high });
    this.still.replaceChildren(...(wide > width + 1 ? [paper] : []), ...draw(parts.fixed));
    this.place();
    this.mark();
  }

  // The cells to press and the handles. Elements stay, so that focus stays.
  place() {
    const { facts, heads } = this.editor,
      old = this.pool;
    this.pool = new Map();
    const take = (key, tag, role) => {
      const made = old.get(key) ?? make(tag, { role });
      this.pool.set(key, made);
      return made;
    };
    const lines = this.lines.map((line, l) => {
      const row = take(line.key, "div", "row");
      const cells = [this.head(line, l, take)];
      if (line.stages)
        facts.stages.forEach((stage, n) =>
          cells.push(
            this.put(
              take(`${line.key} ${n}`, "div", "columnheader"),
              l,
              stage.first,
              `Stage ${stage.title}`,
              stage.columns,
            ),
          ),
        );
      else if (!line.heading)
        facts.columns.forEach((place, c) => {
          const cell = take(`${line.key} ${c}`, "div", line.turns ? "columnheader" : "gridcell");
          const label = line.turns ? heads[c] : this.says(l, c);
          cells.push(this.put(cell, l, c, label));
          cell.className = line.turns ? (place ? "turn" : "edge-of-play") : "cell";
        });
      row.className = "line";
      row.style.cssText = `top:${line.y}px;height:${line.height}px`;
      arrange(row, cells.filter(Boolean));
      return row;
    });
    arrange(this.cells, lines);
    this.cells.setAttribute("aria-colcount", facts.columns.length + 1);
    this.over.replaceChildren(...this.handles());
  }

  head(line, l, take) {
    const head = take(`${line.key} head`, "div", line.row || line.heading ? "rowheader" : "cell");
    head.className = line.row || line.heading ? "head" : "corner";
    head.style.cssText = `width:${this.layout.left - 2}px`;
    if (!line.row && !line.heading) return head;
    const label = this.named(line);
    Object.assign(head.dataset, { line: l, column: -1 });
    head.setAttribute("aria-label", label);
    head.title = label;
    if (line.row?.[0] !== "channel") return head;
    const [, of, who] = line.row;
    const since = this.editor.thing("channel", of)?.seen[who];
    const reads = since !== undefined;
    const name = `${this.editor.look(who).title} reads ${this.editor.thing("channel", of).title}`;
    const state = `${name} ${reads}`;
    if (head.dataset.eye !== state) {
      head.dataset.eye = state;
      const says = reads
        ? "It reads this. Press to hide it."
        : "It does not read this. Press to let it read.";
      const made = button("", "eye", () => this.editor.see("channel", of, who, !reads), name);
      made.title = says;
      made.tabIndex = -1;
      made.setAttribute("aria-pressed", reads);
      made.append(eye(reads));
      head.replaceChildren(made);
    }
    return head;
  }

  put(element, l, column, label, span = 1) {
    element.style.cssText = `left:${this.x(column)}px;width:${span * this.layout.column}px`;
    Object.assign(element.dataset, { line: l, column });
    if (span > 1) element.setAttribute("aria-colspan", span);
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    return element;
  }

  named({ row, heading }) {
    const { editor } = this;
    if (heading) return `Channel ${editor.thing("channel", heading).title}`;
    const [kind, of, who, title] = row;
    if (kind === "channel")
      return `${editor.look(who).title} on ${editor.thing("channel", of).title}`;
    return kind === "part" ? `Part of the task: ${title}` : `${title}, ${editor.look(who).title}`;
  }

  says(line, column) {
    const cell = this.cell(line, column);
    const what = cell.on ? (cell.kind === "channel" ? "writes" : "chooses") : "nothing";
    return `${this.named(this.lines[line])}, ${this.editor.heads[column]}: ${what}`;
  }

  // Handles that are buttons; the panel offers the same to the keyboard.
  handles() {
    const { stages } = this.editor.facts,
      made = [],
      { column } = this.layout;
    const at = (element, x, y, wide, high) => {
      element.style.cssText = `left:${x}px;top:${y}px;width:${wide}px;height:${high}px`;
      element.tabIndex = -1;
      made.push(element);
      return element;
    };
    stages.forEach((stage, n) => {
      const x = this.x(stage.first),
        wide = stage.columns * column,
        { title } = stage;
      const fewer = button(
        "−",
        "",
        () => this.editor.repeat(n, stage.number - 1),
        `Repeat ${title} less`,
      );
      const more = button(
        "+",
        "",
        () => this.editor.repeat(n, stage.number + 1),
        `Repeat ${title} more`,
      );
      fewer.tabIndex = more.tabIndex = -1;
      fewer.disabled = stage.number < 2;
      const times = make(
        "div",
        { class: "times" },
        fewer,
        make("span", { text: stage.number > 1 ? `${stage.number} ×` : "once" }),
        more,
      );
      at(times, x + wide / 2 - 38, 12, 76, 24);
      times.classList.toggle(
        "shown",
        this.editor.pick?.kind === "stage" && this.editor.pick.stage === n,
      );
      if (n + 1 < stages.length) {
        // A press shows the panel, which moves it, too.
        const words = `The edge after ${title}: drag it, or press for more`;
        const press = () => this.dragged || this.editor.choose({ kind: "stage", stage: n });
        const edge = at(button("", "edge", press, words), x + wide - 12, NAMES - 14, 24, 24);
        edge.addEventListener("pointerdown", (event) => dragEdge(this, event, n));
      }
      const plus = button(
        "+",
        "plus",
        () => this.editor.addTurn(n, stage.turns),
        `Add a turn at the end of ${title}`,
      );
      at(plus, x + wide - 12, NUMBERS - 1, 24, 24);
    });
    return made;
  }

  // What depends on the cursor and on what is selected.
  mark() {
    if (!this.layout) return;
    const { pick } = this.editor,
      marks = [];
    const at = this.element(),
      { active } = this;
    at?.setAttribute("tabindex", 0);
    // Before the others can have the focus no more, which would lose it.
    if (at && active !== at && this.cells.contains(active) && !active.matches("button"))
      at.focus({ preventScroll: true });
    for (const one of this.cells.querySelectorAll("[tabindex]"))
      if (one !== at && one.tagName !== "BUTTON") one.removeAttribute("tabindex");
    for (const one of this.cells.querySelectorAll("[aria-selected]"))
      one.removeAttribute("aria-selected");
    if (pick?.kind === "cell" && this.line?.row && this.cursor.column >= 0) {
      marks.push(this.box(this.cursor.line, this.cursor.column));
      at?.setAttribute("aria-selected", true);
    }
    if (pick?.kind === "block") {
      const { first, last, from, to } = this.block();
      marks.push(this.box(first, from, 2, last, to));
      for (let l = first; l <= last; l++)
        for (let c = from; c <= to; c++) this.element(l, c)?.setAttribute("aria-selected", true);
    }
    if (pick?.kind === "turn") {
      marks.push(this.whole(this.editor.columnOf(pick.stage, pick.turn), "outline"));
    }
    const { game } = this.editor.screen;
    const now = game?.at ? this.editor.columnOf(...game.at) : -1;
    if (now >= 0) marks.push(this.whole(now, "playing"));
    this.marks.replaceChildren(...this.editor.looks.veils(this), ...marks);
    this.drawCross();
  }

  // A frame around a whole turn.
  whole(column, kind) {
    return svg("rect", {
      class: kind,
      x: this.x(column) + 1,
      y: NUMBERS,
      width: this.layout.column - 2,
      height: this.low - NUMBERS,
      rx: 5,
      "stroke-width": 1.5,
    });
  }

  drawCross() {
    this.over.querySelector(".cross")?.remove();
    const { pick } = this.editor,
      cell = this.cell();
    if (pick?.kind !== "cell" || !cell?.on) return;
    const cross = button("×", "cross", () => this.editor.toggle(cell), "Remove (Delete)");
    cross.tabIndex = -1;
    cross.style.cssText = `left:${this.x(this.cursor.column + 1) - 14}px;top:${this.line.y - 12}px`;
    this.over.append(cross);
  }

  box(line, column, wide = 2, last = line, to = column) {
    const { y } = this.lines[line],
      low = this.lines[last];
    const width = (to - column + 1) * this.layout.column - 4;
    return svg("rect", {
      class: "outline",
      x: this.x(column) + 2,
      y: y + 0.5,
      width,
      height: low.y + low.height - y - 1,
      rx: 4,
      "stroke-width": wide,
    });
  }

  element(line = this.cursor.line, column = this.cursor.column) {
    const { key, stages } = this.lines[line] ?? {};
    if (column < 0) return this.pool.get(`${key} head`);
    return this.pool.get(`${key} ${stages ? this.editor.stageAt(column) : column}`);
  }

  // -- what is hoped for ------------------------------------------------------------------------

  // What a press adds or removes, painted before the server has answered.
  hope(cell, opacity = 1) {
    const { y, height } =
      this.lines[this.lines.findIndex((one) => one.row && this.cellIs(one, cell))];
    const { fill } = this.editor.look(cell.who),
      x = this.x(cell.column),
      wide = this.layout.column;
    if (cell.on) return svg("rect", { class: "hidden", x: x + 1, y, width: wide - 2, height });
    if (cell.kind === "choice")
      return svg("circle", { cx: x + wide / 2, cy: y + height / 2, r: 6, fill, opacity });
    const box = { x: x + 3, y: y + 3, width: wide - 6, height: height - 6, rx: 4 };
    return svg("rect", { ...box, fill, opacity });
  }

  // What happens in a turn, as simple shapes: copying the picture would delay a drag's first frame.
  happens(column) {
    const cells = this.lines.map((_, line) => this.cell(line, column));
    return cells.filter((cell) => cell?.on).map((cell) => this.hope({ ...cell, on: false }));
  }

  cellIs({ row: [kind, of, who] }, cell) {
    return kind === cell.kind && of === cell.of && who === cell.who;
  }

  paint(cell) {
    this.marks.replaceChildren();
    this.over.querySelector(".cross")?.remove();
    this.hopes.append(this.hope(cell));
  }

  settle() {
    this.hopes.replaceChildren();
    this.ghost?.remove();
  }

  // -- pointer and focus ------------------------------------------------------------------------

  at(event) {
    const cell = event?.target.closest?.("[data-line]");
    return cell ? { line: Number(cell.dataset.line), column: Number(cell.dataset.column) } : null;
  }

  hover(event) {
    if (event && event.pointerType !== "mouse") return;
    const at = this.at(event);
    this.ghost?.remove();
    this.ghost = null;
    if (!at || event.buttons || event.target.closest("button")) return;
    const cell = this.cell(at.line, at.column);
    if (cell?.able && !cell.on) this.ghost = this.hope(cell, 0.4);
    else if (cell) this.ghost = this.box(at.line, at.column, 1);
    if (this.ghost) this.layer.append(this.ghost);
  }

  down(event) {
    const at = this.at(event);
    if (!at || event.button) return;
    if (this.lines[at.line].turns && this.editor.facts.columns[at.column])
      dragTurn(this, event, at.column);
  }

  click(event) {
    const at = this.at(event);
    if (!at || event.target.closest("button") || this.dragged) return;
    if (event.shiftKey) return void this.reach(at);
    this.single();
    this.cursor = at;
    this.press();
    this.element()?.focus({ preventScroll: true });
  }

  // A press adds where nothing is, and selects where something is. It never removes: for that there
  // is a cross on the selected cell, and the Delete key.
  press() {
    const { line, editor } = this,
      { column } = this.cursor;
    if (line.stages) return editor.choose({ kind: "stage", stage: editor.stageAt(column) });
    if (line.turns) {
      const place = editor.facts.columns[column];
      return place && editor.choose({ kind: "turn", stage: place[0], turn: place[1] });
    }
    if (line.heading) return editor.choose({ kind: "channel", name: line.heading });
    const [kind, of, who] = line.row;
    if (column < 0)
      return editor.choose(kind === "channel" ? { kind: "seat", name: who } : { kind, name: of });
    const cell = this.cell();
    if (!cell.able) {
      if (kind === "part" || kind === "value" || who === "task")
        return editor.choose({ kind, name: of });
      return editor.choose({ kind: "cell" });
    }
    if (!cell.on) return editor.toggle(cell);
    return editor.choose({ kind: "cell" });
  }

  focused(event) {
    const at = this.at(event);
    if (!at || event.target.closest("button")) return;
    if (at.line === this.cursor.line && at.column === this.cursor.column) return;
    this.single();
    this.cursor = at;
    this.mark();
  }

  // Gives a block up; the cell of the cursor is selected.
  single() {
    this.anchor = null;
    if (this.editor.pick?.kind === "block") this.editor.pick = { kind: "cell" };
  }

  // Takes the cells up to another one into a block; it stays within its stage.
  reach(at) {
    const { columns } = this.editor.facts,
      from = this.anchor ?? { ...this.cursor };
    const stage = columns[from.column]?.[0];
    if (stage === undefined || columns[at.column]?.[0] !== stage || !this.lines[at.line].row)
      return;
    this.anchor = from;
    this.cursor = at;
    this.editor.choose({ kind: "block" });
    this.element()?.focus({ preventScroll: true });
  }

  // Moves the cursor by keys; skips what has no cell there.
  go(down, right, takes = false) {
    const { facts } = this.editor,
      { line, column } = this.cursor;
    const to = { line, column: Math.max(-1, Math.min(facts.columns.length - 1, column + right)) };
    if (right && this.lines[line].stages) {
      const stage = this.editor.stageAt(column) + right;
      to.column = facts.stages[stage]?.first ?? column;
    }
    if (right && to.column < 0 && !this.lines[line].row && !this.lines[line].heading) return;
    if (right && this.lines[line].heading) to.column = -1;
    let next = line + down;
    while (down && this.lines[next] && !this.has(next, to.column)) next += down;
    if (down && this.lines[next]) to.line = next;
    if (takes) return void this.reach(to);
    if (this.lines[to.line].stages) to.column = facts.stages[this.editor.stageAt(to.column)].first;
    this.single();
    this.cursor = to;
    if (this.editor.pick?.kind === "cell" || this.line.row) this.editor.follow();
    this.mark();
    this.element()?.focus({ preventScroll: true });
    this.bring();
  }

  has(line, column) {
    const { heading, row } = this.lines[line];
    return column < 0 ? Boolean(row || heading) : !heading;
  }

  bring() {
    if (this.cursor.column < 0) return;
    const { left, column } = this.layout,
      { scrollLeft } = this.view;
    const from = this.cursor.column * column,
      room = this.wide / this.zoom - left;
    const seen = scrollLeft / this.zoom;
    if (from < seen || from + column > seen + room)
      this.view.scrollLeft = (from + column / 2 - room / 2) * this.zoom;
    this.element()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  get active() {
    return /** @type {ShadowRoot} */ (this.view.getRootNode()).activeElement;
  }

  focus() {
    this.element()?.focus({ preventScroll: true });
  }

  // Marks at what is not finished, and at what is wrong.
  dots(remarks) {
    for (const one of this.over.querySelectorAll(".dot")) one.remove();
    for (const { about, unfinished, tone } of remarks) {
      if (tone !== "warning") continue;
      const line = this.lines.find(
        ({ row }) =>
          row &&
          (about.kind === "seat" ? row[2] === about.name : row[1] === about.name) &&
          (about.kind === "seat" || row[0] === about.kind),
      );
      if (!line || about.kind === "channel") continue;
      const dot = make("i", { class: unfinished ? "dot unfinished" : "dot" });
      dot.style.cssText = `left:${this.layout.left - 6}px;top:${line.y + line.height / 2 - 4}px`;
      this.over.append(dot);
    }
  }

  say(text) {
    written(this.editor.spoken, text);
  }
}

function ends(numbers) {
  return [Math.min(...numbers), Math.max(...numbers)];
}

// The lines of the grid: names of stages, numbers of turns, headings of channels, and rows.
function linesOf(facts, rows) {
  /** @type {any[]} */
  const lines = [
    { key: "stages", stages: true, y: 0, height: NAMES },
    { key: "turns", turns: true, y: NUMBERS - 2, height: 24 },
  ];
  const headed = new Set();
  facts.rows.forEach((row, n) => {
    const [kind, of, who] = row,
      { y, height } = rows[n];
    if (kind === "channel" && !headed.has(of)) {
      headed.add(of);
      lines.push({ key: `heading ${of}`, heading: of, y: y - HEADING, height: HEADING });
    }
    lines.push({ key: `${kind} ${of} ${kind === "channel" ? who : ""}`, row, y, height });
  });
  return lines;
}

// Sets the children of an element without moving those that stay, which would lose the focus.
function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, n) => {
    if (parent.children[n] !== child) parent.insertBefore(child, parent.children[n] ?? null);
  });
}
