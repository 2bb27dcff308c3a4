// The drawing kit of playables: an SVG stage with a live text beside it, and handles for mouse,
// touch and keyboard. Everything runs in the browser, from plain data.

import { make, svg, written } from "./elements.js";

const SPOKEN = 400; // ms without a change before the text is read aloud, since a drag changes it often

// A picture with its own units, which fills the available room up to its size.
export class Stage {
  constructor(root, { width, height, name }) {
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
    this.svg.style.maxWidth = `${width * 1.25}px`;
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
    if (text === this.text) return;
    this.text = text;
    written(this.says, text);
    clearTimeout(this.later);
    this.later = setTimeout(() => written(this.aloud, text), SPOKEN);
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

const FAR = 4; // pixels of movement from which a tap is a drag

// Makes an element of a stage a handle, which calls
//   tap()           on a click, a tap, Enter or the space bar,
//   drag(point)     while it is moved, and drop(point) at the end,
//   key(name)       on any other key; it returns true if it has handled the key.
export function handle(stage, element, name, { tap, drag, drop, key }) {
  element.classList.add("handle");
  for (const [attribute, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": name })) element.setAttribute(attribute, value);
  let from = null, far = false;
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
    else if (!far && tap && event.type === "pointerup") tap();
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("keydown", (event) => {
    const means = event.key === "Enter" || event.key === " " ? (tap?.(), Boolean(tap)) : key?.(event.key);
    if (means) event.preventDefault();
  });
}

// Whether the person prefers reduced motion.
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
