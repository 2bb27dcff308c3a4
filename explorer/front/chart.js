// A chart (explorer/pictures/plot.py) with its legend, and controls that change it.

import { chartOf, keysOf, measuring, onLetters, readDrawing } from "./drawing.js";
import { make, mounting, written } from "./elements.js";
import { isDark, onLight } from "./light.js";
import { percentOf } from "./words.js";

class Chart {
  constructor(root, send) {
    this.send = send;
    this.measure = null;
    this.knobs = make("div", { class: "knobs" });
    this.says = make("p", { class: "says", role: "status" });
    this.picture = make("div", { class: "picture" });
    this.keys = make("ul", { class: "keys" });
    root.replaceChildren(
      make("div", { class: "chart" }, this.knobs, this.says, this.picture, this.keys),
    );
    this.turned = {};
    this.sliders = new Map();
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.picture);
    this.deaf = [onLetters(() => this.fit()), onLight(() => this.fit())];
  }

  destroy() {
    this.watcher.disconnect();
    this.deaf.forEach((end) => end());
  }

  show(data) {
    this.data = data;
    this.drawing = readDrawing(data.drawing);
    this.controls(data.knobs ?? []);
    this.says.hidden = !data.says;
    written(this.says, data.says ?? "");
    this.fit();
    // The answer to the last request; changes made meanwhile are sent now.
    if (data.turn !== undefined && data.turn !== this.asked) return;
    this.waiting = false;
    if (Object.keys(this.turned).length) this.ask();
  }

  controls(knobs) {
    const shape = JSON.stringify(knobs.map(({ name }) => name));
    if (shape !== this.shape) {
      this.shape = shape;
      this.sliders.clear();
      this.knobs.replaceChildren(...knobs.map((knob) => this.knob(knob)));
    }
    this.knobs.hidden = !knobs.length;
    for (const { name, label, value, low, high, step } of knobs) {
      const { slider, shown, title } = this.sliders.get(name);
      Object.assign(slider, { min: low, max: high, step });
      written(title, label);
      if (slider.matches(":active") || name in this.turned) continue;
      slider.value = value;
      written(shown, percentOf(value));
    }
  }

  knob({ name, label }) {
    const shown = make("output"),
      title = make("span");
    const slider = make("input", { type: "range", "aria-label": label, "data-name": name });
    this.sliders.set(name, { slider, shown, title });
    slider.addEventListener("input", () => {
      written(shown, percentOf(slider.value));
      if (this.data.live) this.turn(name, Number(slider.value));
    });
    slider.addEventListener("change", () => this.turn(name, Number(slider.value)));
    return make("label", {}, title, slider, shown);
  }

  // One request at a time, so that a drag requests only its present position.
  turn(name, value) {
    this.turned[name] = value;
    if (!this.waiting || Date.now() - this.since > 2000) this.ask();
  }

  ask() {
    this.waiting = true;
    this.since = Date.now();
    this.asked = `${this.since}-${Math.random()}`;
    const knobs = this.turned;
    this.turned = {};
    this.send("knob", { turn: this.asked, knobs });
  }

  fit() {
    const room = this.picture.clientWidth;
    if (!this.drawing || !room) return;
    this.measure ??= measuring(this.picture);
    const dark = isDark(this.picture);
    this.picture.replaceChildren(
      chartOf(this.drawing, room, dark, this.measure, `${this.data.title}. ${this.data.words}`),
    );
    this.keys.replaceChildren(...keysOf(this.drawing, dark, this.measure));
  }
}

export const mount = mounting(Chart);
