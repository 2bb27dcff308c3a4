// Renders a drawing (explorer/pictures/drawing.py) as SVG, for a width and colours.

import { make, svg, written } from "./elements.js";

const FIELDS = {
  Box: {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
    fill: null,
    stroke: null,
    radius: 0,
    line: 1,
    dashed: false,
    column: null,
    span: 0,
  },
  Line: {
    x: 0,
    y: 0,
    to_x: 0,
    to_y: 0,
    stroke: null,
    line: 1,
    dashed: false,
    column: null,
    to_column: 0,
  },
  Polygon: { points: [], fill: null, stroke: null, line: 1, dashed: false, column: null },
  Text: {
    x: 0,
    y: 0,
    text: "",
    fill: null,
    size: 12,
    bold: false,
    anchor: "start",
    column: null,
    room: null,
    short: "",
    wide: false,
    span: 1,
  },
  Use: { symbol: "", y: 0, column: null },
  Row: { y: 0, height: 0, codes: "" },
  Numbers: { y: 0, count: 0, fill: null, size: 11 },
};
const SMALLEST = 6.5; // letters
const WIDEST = 1.25; // of a letter, relative to its size
const NUMBERED = [
  [24, 1],
  [9, 5],
  [4.5, 10],
  [0, 25],
];

// Converts plain data to objects with all fields for every shape.
export function readDrawing(plain) {
  const symbols = Object.fromEntries(
    Object.entries(plain.symbols).map(([name, own]) => [name, own.map(shape)]),
  );
  return {
    ...plain,
    symbols,
    shapes: plain.shapes.map(shape),
    keys: plain.keys.map(([shapes, words]) => ({ shapes: shapes.map(shape), words })),
  };
}

function shape(plain) {
  const [is, ...values] = plain;
  const fields = { is, ...FIELDS[is] };
  Object.keys(FIELDS[is]).forEach((name, place) => {
    if (place < values.length) fields[name] = values[place];
  });
  return fields;
}

// The width of a column and the left edge of the columns, for a given width.
export function layOut(drawing, room, { slim = false, whole = false } = {}) {
  const left = slim ? drawing.slim : drawing.left;
  const even = (room - left - 2) / drawing.columns;
  const column = Math.min(drawing.most, whole ? even : Math.max(drawing.least, even));
  return { left, column, slim, width: left + column * drawing.columns + 2 };
}

// The plain shapes of a layout: fixed ones, those that move with the columns, and the cells.
export function flat(drawing, layout, dark, measure, selected = null) {
  const parts = { fixed: [], moving: [], cells: [], numbers: [], frame: [] };
  const to = new Flattening(drawing, layout, dark, measure, selected);
  for (const one of drawing.shapes) {
    const part =
      { Row: "cells", Numbers: "numbers" }[one.is] ?? (one.column === null ? "fixed" : "moving");
    to.add(one, parts[part]);
  }
  if (selected !== null) for (const one of selection(drawing, selected)) to.add(one, parts.frame);
  return parts;
}

export function selection(drawing, selected) {
  if (drawing.rounds.length) {
    const [top, high] = drawing.rounds[selected] ?? [0, 0];
    const place = ["Box", 0.75 - drawing.left, top + 0.75, drawing.left - 1.5, high - 1.5];
    return high ? [shape([...place, null, "text", 5, 1.5, false, 0, drawing.columns])] : [];
  }
  return drawing.bands.map(([top, high]) =>
    shape(["Box", -1, top - 1, 2, high + 2, null, "text", 4, 2, false, selected, 1]),
  );
}

class Flattening {
  constructor(drawing, layout, dark, measure, selected) {
    this.drawing = drawing;
    this.left = layout.left;
    this.column = layout.column;
    this.slim = layout.slim;
    this.dark = dark;
    this.measure = measure;
    this.selected = selected;
  }

  add(one, list, x = null, y = 0) {
    const { symbols } = this.drawing;
    if (one.is === "Use")
      for (const part of symbols[one.symbol])
        this.add(part, list, one.column === null ? 0 : this.at(one.column), one.y);
    else if (one.is === "Row")
      [...one.codes].forEach((code, place) =>
        symbols[code].forEach((part) => this.add(part, list, this.at(place), one.y)),
      );
    else if (one.is === "Numbers") this.numbers(one, list);
    else this.plain(one, list, x, y);
  }

  at(column) {
    return this.left + column * this.column;
  }

  colour(name) {
    return name === null ? null : this.drawing.colours[name][this.dark ? 1 : 0];
  }

  plain(one, list, x, y) {
    const own = one.column === null ? 0 : one.column;
    const across = x === null ? (one.column === null ? 0 : this.at(own)) : x + own * this.column;
    const paint = { fill: this.colour(one.fill ?? null), stroke: this.colour(one.stroke ?? null) };
    if (one.is === "Box")
      list.push({
        ...one,
        ...paint,
        x: one.x + across,
        y: one.y + y,
        width: Math.max(0.5, one.width + one.span * this.column),
      });
    else if (one.is === "Line") {
      const far =
        one.to_x + across + (one.column === null ? 0 : (one.to_column - own) * this.column);
      list.push({
        ...one,
        ...paint,
        x: one.x + across,
        y: one.y + y,
        to_x: far,
        to_y: one.to_y + y,
      });
    } else if (one.is === "Polygon")
      list.push({ ...one, ...paint, points: one.points.map(([a, b]) => [a + across, b + y]) });
    else if (!(one.wide && this.slim))
      this.text({ ...one, ...paint, x: one.x + across, y: one.y + y }, list);
  }

  text(one, list) {
    if (one.room !== null) {
      const room = one.room + one.span * this.column;
      const fits = () => fitsIn(room, one, this.measure);
      if (one.short && !fits()) one.text = one.short;
      while (one.size > SMALLEST && !fits()) one.size -= 0.5;
      if (!fits()) return;
    }
    list.push(one);
  }

  numbers({ y, count, fill, size }, list) {
    const every = NUMBERED.find(([width]) => this.column >= width)[1];
    for (let place = 0; place < count; place++) {
      const bold = place === this.selected;
      const near = this.selected !== null && Math.abs(place - this.selected) * this.column < 24;
      if (!bold && ((place + 1) % every || near)) continue;
      list.push({
        ...shape(["Text", this.at(place + 0.5), y, `${place + 1}`, fill, size, bold, "middle"]),
        fill: this.colour(fill),
      });
    }
  }
}

// -- SVG -------------------------------------------------------------------------------------

export function draw(shapes) {
  return shapes.map((one) => {
    const paint = { fill: one.fill ?? "none", ...stroked(one) };
    if (one.is === "Box")
      return svg("rect", {
        x: one.x,
        y: one.y,
        width: one.width,
        height: one.height,
        rx: one.radius,
        ...paint,
      });
    if (one.is === "Line")
      return svg("line", { x1: one.x, y1: one.y, x2: one.to_x, y2: one.to_y, ...paint });
    if (one.is === "Polygon") return svg("polygon", { points: one.points.join(" "), ...paint });
    const made = svg("text", {
      x: one.x,
      y: one.y,
      "font-size": one.size,
      "text-anchor": one.anchor,
      fill: one.fill,
    });
    if (one.bold) made.setAttribute("font-weight", 600);
    written(made, one.text);
    return made;
  });
}

// Cells do not overlap, so all with the same style are one path.
export function drawCells(shapes) {
  const paths = new Map(),
    others = [];
  for (const one of shapes) {
    if (one.is !== "Box") {
      others.push(one);
      continue;
    }
    const paint = { fill: one.fill ?? "none", ...stroked(one) };
    const key = JSON.stringify(paint);
    if (!paths.has(key)) paths.set(key, { paint, d: [] });
    paths.get(key).d.push(rounded(one));
  }
  return [
    ...[...paths.values()].map(({ paint, d }) => svg("path", { d: d.join(""), ...paint })),
    ...draw(others),
  ];
}

function stroked({ stroke, line, dashed }) {
  if (!stroke) return {};
  return { stroke, "stroke-width": line, ...(dashed ? { "stroke-dasharray": "2 2" } : {}) };
}

function rounded({ x, y, width, height, radius }) {
  const r = Math.min(radius, width / 2, height / 2),
    w = width - 2 * r,
    h = height - 2 * r;
  const arc = (a, b) => (r ? `a${r} ${r} 0 0 1 ${a} ${b}` : "");
  return `M${x + r} ${y}h${w}${arc(r, r)}v${h}${arc(-r, r)}h${-w}${arc(-r, -r)}v${-h}${arc(r, -r)}z`;
}

// Returns whether a text fits. Most have far more room, and are not measured.
export function fitsIn(room, { text, size, bold }, measure) {
  return text.length * size * WIDEST <= room || measure(text, size, bold) <= room;
}

let letters = 0; // how often fonts have loaded
document.fonts.addEventListener("loadingdone", () => {
  letters += 1;
});

// Calls back when fonts have loaded, which changes text widths; returns a function that stops it.
export function onLetters(changed) {
  const now = () => changed();
  document.fonts.addEventListener("loadingdone", now);
  return () => document.fonts.removeEventListener("loadingdone", now);
}

// The width of a text in the page's font.
export function measuring(element) {
  const context = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(element).fontFamily;
  const known = new Map();
  let measured = letters;
  return (text, size, bold) => {
    if (measured !== letters) known.clear();
    measured = letters;
    const key = `${bold}${text}`;
    if (!known.has(key)) {
      context.font = `${bold ? 600 : 400} 100px ${family}`;
      known.set(key, context.measureText(text).width / 100);
    }
    return known.get(key) * size;
  };
}

// A whole drawing for a width. In the original order, since marks must be above lines.
export function chartOf(drawing, room, dark, measure, name) {
  const layout = layOut(drawing, room, { whole: true }),
    { width } = layout,
    { height } = drawing;
  const parts = flat(drawing, layout, dark, measure);
  const looks = {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": name,
  };
  return svg("svg", looks, ...draw(parts.fixed), ...draw(parts.moving), ...drawCells(parts.cells));
}

// The entries of its legend.
export function keysOf(drawing, dark, measure) {
  return drawing.keys.map(({ shapes, words }) => {
    const own = flat(
      { ...drawing, shapes },
      { left: 0, column: 0, slim: false, width: 18 },
      dark,
      measure,
    );
    const looks = { viewBox: "0 -8 18 16", width: 18, height: 16, "aria-hidden": "true" };
    return make("li", {}, svg("svg", looks, ...draw(own.fixed)), make("span", { text: words }));
  });
}
