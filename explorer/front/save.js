// Saves a file from a page.

import { make } from "./elements.js";

const TYPES = {
  csv: "text/csv",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
};

// `content` is a text or a blob; the end of the name says what it is.
export function save(name, content) {
  const type = TYPES[name.split(".").pop()];
  const href = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
