// The drawing kit of playables: an SVG stage with a live text beside it, and handles for mouse,
// touch and keyboard. Everything runs in the browser, from plain data.

import { make, set, svg, written } from "./elements.js";
import { keep, recallObject, WINDOW } from "./memory.js";
import { percentOf, tr } from "./words.js";

const AROUND = 400; // pixels above and below a drawing: a page's head, words and buttons
const SPOKEN = 400; // ms without a change before the text is read aloud, since a drag changes it often
const KEPT = "nip-drawing/";

// What mounts a drawing: a class with a stage and `data`, which is shown its data once.
/** @param {new (root: HTMLElement) => Playable} Drawing */
export function playable(Drawing) {
  return (root) => {
    const drawing = new Drawing(root);
    const show = (data) => {
      if (!drawing.data) drawing.show(data);
    };
    return { show, destroy: () => drawing.stage.destroy() };
  };
}

// A picture with its own units, which fills the available room up to its size.
export class Stage {
  constructor(root, { width, height, name }) {
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
    // On a low screen a drawing is smaller, so that its handles and the first words fit.
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

  // The picture in words: visible at once, and announced to screen readers after the last change.
  say(text) {
    this.save?.();
    if (text === this.text) return;
    this.text = text;
    written(this.says, text);
    clearTimeout(this.later);
    this.later = setTimeout(() => written(this.aloud, text), SPOKEN);
  }

  // Restores a drawing's state from this window, and from now on stores it with its result.
  // `fields` has a check for each field of the state, and `holds` checks the whole: stored data may
  // be of another version, or anything. In a notebook nothing is stored.
  /** @param {(found: any) => boolean} holds */
  keep(name, drawing, fields, holds = () => true) {
    if (!name) return;
    const names = Object.keys(fields),
      of = (from) => Object.fromEntries(names.map((field) => [field, from[field]]));
    this.save = () => keep(KEPT + name, JSON.stringify(of(drawing)), WINDOW);
    const found = recallObject(KEPT + name, WINDOW);
    if (names.every((field) => fields[field](found[field])) && holds(found))
      Object.assign(drawing, of(found));
  }

  // Adds a shape to the picture.
  part(tag, attributes, ...children) {
    const made = svg(tag, attributes, ...children);
    this.svg.append(made);
    return made;
  }

  button(text, pressed) {
    const made = make("button", { type: "button", text, onclick: () => pressed() });
    this.buttons.append(made);
    return made;
  }

  // The pointer's position in units of the picture.
  at(event) {
    const box = this.svg.getBoundingClientRect(),
      { width, height } = this.svg.viewBox.baseVal;
    return {
      x: ((event.clientX - box.left) / box.width) * width,
      y: ((event.clientY - box.top) / box.height) * height,
    };
  }
}

// Checks for stored fields.
export const flag = (value) => typeof value === "boolean";
export const whole =
  (most, least = 0) =>
  (value) =>
    Number.isInteger(value) && value >= least && value <= most;
export const maybe = (fits) => (value) => value === null || fits(value);
export const list = (fits, count) => (value) =>
  Array.isArray(value) &&
  value.length === (count ?? value.length) &&
  value.every((each) => fits(each));
export const COUNT = whole(1e9);

// A random generator whose state can be stored: the same seed gives the same numbers from 0 to 1.
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

const FAR = 4; // pixels of movement that turn a tap into a drag

// Makes an element of a stage a handle. It calls tap(point) on a click or a tap, tap() on Enter or
// the space bar, drag(point) during a movement, drop(point) at its end, and key(name) on any other
// key, which returns true if it has handled the key.
/** @param {Stage} stage @param {SVGElement} element */
export function handle(stage, element, name, { tap = null, drag = null, drop = null, key = null }) {
  element.classList.add("handle");
  set(element, { tabindex: 0, role: "button", "aria-label": name });
  let from = null,
    far = false;
  // Chromium scrolls if a finger moves on an SVG shape, whatever its touch-action is: diagonal
  // drags were cancelled.
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
    const means =
      event.key === "Enter" || event.key === " " ? (tap?.(), Boolean(tap)) : key?.(event.key);
    if (means) event.preventDefault();
  });
}

// The keys that move a handle, and by how much.
export const ARROWS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

// What a handle does with its keys: each of `keys` moves it.
export function arrows(move, keys = ARROWS) {
  return (name) => name in keys && (move(keys[name]), true);
}

// So many places on a circle, clockwise from the top.
export function onCircle(count, { x, y }, radius) {
  return Array.from({ length: count }, (_, place) => {
    const turn = (2 * Math.PI * place) / count - Math.PI / 2;
    return { x: x + radius * Math.cos(turn), y: y + radius * Math.sin(turn) };
  });
}

// The colours of a map: a letter, a fill, and the ink on it.
export const PAINTS = [
  ["A", "#0072b2", "#ffffff"],
  ["B", "#e69f00", "#111111"],
  ["C", "#009e73", "#111111"],
];

// The circles of a round handle: where it can be touched, what is seen, and its focus.
export const knob = () =>
  [
    { r: 18, fill: "transparent" },
    { r: 10, class: "knob" },
    { r: 15, class: "ring" },
  ].map((circle) => svg("circle", circle));

// A slider: a track with a knob at one of a number of places.
export class Track {
  /** @param {Stage} stage */
  constructor(stage, { x, y, wide, places, moved, drop = null }) {
    this.x = x + 12;
    this.y = y;
    this.wide = wide - 24;
    this.places = places;
    this.label = svg("text", { x, y: y - 16, "font-size": 13, class: "quiet" });
    const all = { x, y: y - 18, width: wide, height: 36, rx: 8 };
    this.line = svg(
      "g",
      {},
      svg("rect", { ...all, fill: "transparent" }),
      svg("rect", { ...all, class: "ring" }),
    );
    this.grip = svg("g", {}, ...knob());
    this.knob = svg("g", {}, this.line, this.grip);
    this.group = svg(
      "g",
      {},
      this.label,
      svg("line", { x1: this.x, x2: this.x + this.wide, y1: y, y2: y, class: "axis" }),
      this.knob,
    );
    stage.svg.append(this.group);
    const to = (place, dragged) => moved(Math.max(0, Math.min(this.places - 1, place)), dragged);
    const nearest = (point) => Math.round(((point.x - this.x) / this.wide) * (this.places - 1));
    handle(stage, this.knob, "", {
      tap: (point) => {
        if (point && this.place === null) to(nearest(point), false);
      },
      drag: (point) => to(nearest(point), true),
      drop,
      key: arrows((by) => to((this.place ?? Math.floor((this.places - 1) / 2)) + by, false)),
    });
  }

  // A place of null is an answer that nobody has chosen yet: all of the line can be touched.
  show(place, text) {
    this.place = place;
    const unset = place === null,
      across = this.x + (this.wide * place) / Math.max(1, this.places - 1);
    set(this.knob, {
      transform: unset ? "" : `translate(${across} ${this.y})`,
      "aria-label": unset
        ? tr("{text}. Arrow keys set it.", { text })
        : tr("{text}. Arrow keys change it.", { text }),
    });
    this.line.style.display = unset ? "" : "none";
    this.grip.style.display = unset ? "none" : "";
    written(this.label, text);
  }
}

// A probability in percent; a small one is not shown as 0.
export function percent(chance) {
  return chance > 0 && chance < 0.0005
    ? tr("less than {share}", { share: percentOf(0.001, 1) })
    : percentOf(chance, 1);
}

// Whether the person prefers reduced motion.
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
