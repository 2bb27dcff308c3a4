// Tables of a lesson, also as a file.

import { make, tableHead } from "./elements.js";
import { save } from "./save.js";

export function heading({ title }) {
  return title ? make("p", {}, make("b", { text: title })) : null;
}

export function table(_, { part: { columns, rows, caption } }) {
  return [tableOf(columns, rows), caption && make("p", { class: "quiet", text: caption })];
}

const short = (cell) => (typeof cell === "number" ? Number(cell.toPrecision(4)) : cell);

export function tableOf(columns, rows) {
  const body = rows.map((row) =>
    make("tr", {}, ...row.map((cell) => make("td", { text: short(cell) }))),
  );
  return make(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": columns.join(", ") },
    make("table", {}, tableHead(columns), make("tbody", {}, ...body)),
  );
}

// As in `explorer/files.py`, no text becomes a formula.
const FORMULA = /^['"\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

export function saveTable(name, columns, rows) {
  const cell = (value) => {
    const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`);
  save(name, lines.join(""));
}
