// Elements of HTML and of SVG. Every text goes in as text.

const NAMESPACE = "http://www.w3.org/2000/svg";

// `text` is what it says, `on...` listens, and null or false is left out.
// Marks that change the direction of text can make a message read as another one: they are shown.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

export function written(element, text) {
  const plain = String(text ?? "").replace(TURNS, "\ufffd");
  element.textContent = plain;
  // Its own direction, and none for what stands beside it.
  if (RIGHT_TO_LEFT.test(plain)) element.setAttribute("dir", "auto");
}

export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") written(made, value);
    // A strict content security policy refuses a style that is set as an attribute.
    else if (name === "style") made.style.cssText = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") made.style.cssText = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
