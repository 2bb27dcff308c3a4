// A number to guess: a line without a thumb until it is touched, and a button that says what to do.

import { make, withUnit, written } from "./elements.js";
import { unsetSlider } from "./unset.js";

const FIRST = "First choose a number on the line";

export class Guess {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.value = null;
  }

  destroy() {
    this.root.replaceChildren();
  }

  // `value` was chosen before, and `given` is the answer that counts now; both may be null.
  show(data) {
    const shape = JSON.stringify([data.low, data.high, data.step, data.label]);
    this.data = data;
    if (shape !== this.shape) {
      this.shape = shape;
      this.value = data.value;
      this.draw();
    }
    this.update();
  }

  draw() {
    const { low, high, step, label, value } = this.data;
    this.shown = make("output");
    this.button = make("button", {
      type: "button",
      class: "main",
      onclick: () => this.send("said", this.value),
    });
    const slider = unsetSlider(
      { min: low, max: high, step, value, "aria-label": label },
      (chosen) => {
        this.value = chosen;
        this.update();
      },
    );
    slider.addEventListener("change", () => this.send("moved", this.value));
    this.root.replaceChildren(make("div", { class: "guess" }, slider, this.shown, this.button));
  }

  update() {
    const { unit, say, given } = this.data,
      unset = this.value === null;
    written(this.shown, unset ? "not chosen yet" : withUnit(this.value, unit));
    written(this.button, unset ? FIRST : say);
    this.button.disabled = unset;
    this.button.hidden = !unset && this.value === given;
  }
}
