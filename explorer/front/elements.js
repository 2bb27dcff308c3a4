// Creates HTML and SVG elements. Texts are always inserted as text, never as markup.

const NAMESPACE = "http://www.w3.org/2000/svg";

// Bidirectional control characters could disguise a message, so they are made visible.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/** @param {Element} element */
export function written(element, text) {
  const plain = String(text ?? "").replace(TURNS, "\ufffd");
  element.textContent = plain;
  // Isolates the text's direction from its neighbours.
  if (RIGHT_TO_LEFT.test(plain)) element.setAttribute("dir", "auto");
}

// The thing to which a key moves from the one with number `now`; undefined for other keys.
/** @param {KeyboardEvent} event */
export function movedTo(event, things, now) {
  const last = things.length - 1;
  const to = {
    ArrowLeft: now - 1,
    ArrowUp: now - 1,
    ArrowRight: now + 1,
    ArrowDown: now + 1,
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  event.preventDefault();
  return things[Math.max(0, Math.min(last, to))];
}

// `text` is the content, `on...` are listeners; null and false are ignored.
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") written(made, value);
    // A strict content security policy forbids style attributes.
    else if (name === "style") made.style.cssText = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** @param {string[]} titles */
export function tableHead(titles, attributes = {}) {
  const cells = titles.map((text) => make("th", { scope: "col", text }));
  return make("thead", attributes, make("tr", {}, ...cells));
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = set(document.createElementNS(NAMESPACE, tag), attributes);
  made.append(...children);
  return made;
}

/** @template {HTMLElement | SVGElement} Made @param {Made} element @returns {Made} */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") element.style.cssText = value;
    else element.setAttribute(name, value);
  }
  return element;
}

// What mounts a front: an object of this class, which shows data until it is destroyed.
/** @param {new (root: HTMLElement, send: Send) => Front} Front */
export function mounting(Front) {
  return (root, send) => {
    const front = new Front(root, send);
    return { show: (data) => front.show(data), destroy: () => front.destroy() };
  };
}
