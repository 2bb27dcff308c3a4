// The drawing kit of playables: an SVG stage with a live text beside it, and handles for mouse,
// touch and keyboard. Everything runs in the browser, from plain data.

import { make, svg, written } from "./elements.js";
import { keep, recall, WINDOW } from "./memory.js";

const AROUND = 400; // pixels above and below a drawing: a page's head, words and buttons
const SPOKEN = 400; // ms without a change before the text is read aloud, since a drag changes it often
const KEPT = "nip-drawing/";

// A picture with its own units, which fills the available room up to its size.
export class Stage {
  constructor(root, { width, height, name }) {
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
    // On a low screen a drawing is smaller, so that its handles are seen with the first words.
    this.svg.style.maxWidth = `${width * Math.max(1, Math.min(1.25, (innerHeight - AROUND) / height))}px`;
    this.says = make("p", { class: "says" });
    this.aloud = make("p", { class: "aloud", role: "status" });
    this.buttons = make("div", { class: "buttons" });
    this.stage = make("div", { class: "touch" }, this.svg, this.says, this.buttons, this.aloud);
    root.replaceChildren(this.stage);
  }

  destroy() {
    clearTimeout(this.later);
  }

  // The picture in words: visible at once, and announced to screen readers when changes stop.
  say(text) {
    this.save?.();
    if (text === this.text) return;
    this.text = text;
    written(this.says, text);
    clearTimeout(this.later);
    this.later = setTimeout(() => written(this.aloud, text), SPOKEN);
  }

  // Takes a drawing up where it was left in this window, and from now on keeps it with all that is
  // said of it. `fields` says of each field of it what may stand there, and `holds` of all together:
  // what was kept may be of another version, or anything. In a notebook nothing is kept.
  keep(name, drawing, fields, holds = () => true) {
    if (!name) return;
    const names = Object.keys(fields), of = (from) => Object.fromEntries(names.map((field) => [field, from[field]]));
    this.save = () => keep(KEPT + name, JSON.stringify(of(drawing)), WINDOW);
    const found = parsed(recall(KEPT + name, WINDOW));
    if (names.every((field) => fields[field](found[field])) && holds(found)) Object.assign(drawing, of(found));
  }

  button(text, pressed) {
    const made = make("button", { type: "button", text, onclick: () => pressed() });
    this.buttons.append(made);
    return made;
  }

  // The pointer's position in units of the picture.
  at(event) {
    const box = this.svg.getBoundingClientRect(), { width, height } = this.svg.viewBox.baseVal;
    return { x: ((event.clientX - box.left) / box.width) * width, y: ((event.clientY - box.top) / box.height) * height };
  }
}

function parsed(text) {
  try { return JSON.parse(text) ?? {}; } catch { return {}; }
}

// What may stand in a field that is kept.
export const flag = (value) => typeof value === "boolean";
export const whole = (most, least = 0) => (value) => Number.isInteger(value) && value >= least && value <= most;
export const maybe = (fits) => (value) => value === null || fits(value);
export const list = (fits, count) => (value) => Array.isArray(value) && value.length === (count ?? value.length) && value.every((each) => fits(each));
export const COUNT = whole(1e9);

// Chance that can be kept: the same numbers from 0 to 1 for the same seed.
export const SEED = whole(2 ** 32 - 1);
export const newSeed = () => Math.floor(Math.random() * 2 ** 32);
export function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FAR = 4; // pixels of movement from which a tap is a drag

// Makes an element of a stage a handle, which calls
//   tap(point)      on a click or a tap, and without a point on Enter or the space bar,
//   drag(point)     while it is moved, and drop(point) at the end,
//   key(name)       on any other key; it returns true if it has handled the key.
export function handle(stage, element, name, { tap, drag, drop, key }) {
  element.classList.add("handle");
  for (const [attribute, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": name })) element.setAttribute(attribute, value);
  let from = null, far = false;
  // Chromium scrolls with a finger on a shape of SVG, whatever its touch-action says: a drag to a side and down was cancelled.
  element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    from = event;
    far = false;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    far ||= Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > FAR;
    if (far && drag) drag(stage.at(event));
  });
  const end = (event) => {
    if (!from) return;
    from = null;
    if (far && drop) drop(event.type === "pointerup" ? stage.at(event) : null);
    else if (!far && tap && event.type === "pointerup") tap(stage.at(event));
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("keydown", (event) => {
    const means = event.key === "Enter" || event.key === " " ? (tap?.(), Boolean(tap)) : key?.(event.key);
    if (means) event.preventDefault();
  });
}

// By how much an arrow key changes a number; 0 for other keys.
export function arrow(name) {
  return { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[name] ?? 0;
}

// A track with a knob on it, which stands at one of so many places.
export class Track {
  constructor(stage, { x, y, wide, places, moved }) {
    Object.assign(this, { x: x + 12, y, wide: wide - 24, places });
    this.label = svg("text", { x, y: y - 16, "font-size": 13, class: "quiet" });
    this.knob = svg("g", {}, svg("circle", { r: 18, fill: "transparent" }), svg("circle", { r: 10, class: "knob" }), svg("circle", { r: 15, class: "ring" }));
    this.group = svg("g", {}, this.label, svg("line", { x1: this.x, x2: this.x + this.wide, y1: y, y2: y, class: "axis" }), this.knob);
    stage.svg.append(this.group);
    const to = (place) => moved(Math.max(0, Math.min(this.places - 1, place)));
    handle(stage, this.knob, "", {
      drag: (point) => to(Math.round(((point.x - this.x) / this.wide) * (this.places - 1))),
      key: (name) => Boolean(arrow(name)) && (to(this.place + arrow(name)), true),
    });
  }

  show(place, text) {
    this.place = place;
    this.knob.setAttribute("transform", `translate(${this.x + (this.wide * place) / Math.max(1, this.places - 1)} ${this.y})`);
    this.knob.setAttribute("aria-label", `${text}. Arrow keys change it.`);
    written(this.label, text);
  }
}

// A chance in percent; what is rare is not called never.
export function percent(chance) {
  return chance > 0 && chance < 0.0005 ? "less than 0.1%" : `${(100 * chance).toFixed(1)}%`;
}

// Whether the person prefers reduced motion.
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
