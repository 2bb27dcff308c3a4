// The wall between two seats as a handle: dragged away, or up between them, it opens a drawing of the
// protocol with the wall moved. It is a link, so a press and the keyboard do the same.

import { make, mounting, written } from "./elements.js";
import { isDark, onLight } from "./light.js";

const FAR = 30; // pixels, from which on letting go moves the wall

class Wall {
  constructor(root) {
    this.root = root;
    this.badges = [0, 1].map(() => make("span", { class: "seat", "aria-hidden": "true" }));
    this.bar = make("i");
    this.handle = make("a", { class: "handle", draggable: "false" }, this.bar);
    this.words = make("span", { class: "words" });
    this.view = make(
      "div",
      { class: "wall" },
      this.badges[0],
      this.handle,
      this.badges[1],
      this.words,
    );
    root.replaceChildren(this.view);
    this.handle.addEventListener("pointerdown", (event) => this.take(event));
    this.handle.addEventListener("click", (event) => this.moved && event.preventDefault());
    this.deaf = onLight(() => this.data && this.show(this.data));
  }

  destroy() {
    this.deaf();
  }

  show(data) {
    this.data = data;
    const { seats, stands, href } = data;
    const shade = isDark(this.root) ? "dark" : "light";
    seats.forEach((seat, n) => {
      const [fill, ink] = seat[shade];
      written(this.badges[n], seat.label);
      this.badges[n].style.cssText = `background:${fill};color:${ink}`;
    });
    this.handle.href = href;
    this.view.classList.toggle("stands", stands);
    const [one, other] = seats.map((seat) => seat.name);
    const now = stands
      ? `${one} and ${other} do not read each other.`
      : `${one} and ${other} read from each other.`;
    const what = stands ? "Drag the wall away" : "Drag a wall between them";
    written(this.words, `${now} ${what} and see what changes.`);
    this.handle.setAttribute("aria-label", `${now} ${what}`);
    this.handle.title = what;
  }

  take(event) {
    if (event.button) return;
    event.preventDefault();
    this.moved = false;
    const from = event.clientY;
    this.handle.setPointerCapture(event.pointerId);
    const move = ({ clientY }) => {
      this.by = clientY - from;
      this.moved ||= Math.abs(this.by) > 3;
      this.bar.style.transform = `translateY(${this.by}px)`;
    };
    const drop = () => {
      for (const kind of ["pointerup", "pointercancel"])
        this.handle.removeEventListener(kind, drop);
      this.handle.removeEventListener("pointermove", move);
      this.bar.style.transform = "";
      if (this.moved && Math.abs(this.by) >= FAR) location.assign(this.data.href);
    };
    this.handle.addEventListener("pointermove", move);
    for (const kind of ["pointerup", "pointercancel"]) this.handle.addEventListener(kind, drop);
  }
}

export const mount = mounting(Wall);
