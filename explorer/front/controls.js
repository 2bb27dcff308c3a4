// A row of controls for hosts without their own. Each is plain data with a `kind`, and reports its
// `name` and value. A control in use is not redrawn.

import { make, written } from "./elements.js";
import { Unconfirmed } from "./unconfirmed.js";
import { decimal, percentOf } from "./words.js";

const PAUSE = 120; // ms without another change before a slider reports

export class Controls {
  constructor(root, tell) {
    this.root = root;
    this.tell = tell;
    this.unconfirmed = new Unconfirmed(() => this.show(this.shown));
    this.root.classList.add("controls");
  }

  destroy() {
    clearTimeout(this.later);
    this.unconfirmed.dropAll();
  }

  show(controls) {
    this.shown = controls;
    const shape = JSON.stringify(
      controls.map(({ kind, name, options, label }) => [kind, name, options, label]),
    );
    if (shape !== this.shape) {
      const focused = this.root.getRootNode().activeElement?.dataset?.name;
      this.shape = shape;
      this.unconfirmed.dropAll();
      this.made = controls.map((each) =>
        KINDS[each.kind](each, (value, soon) => this.said(each.name, value, soon)),
      );
      this.root.replaceChildren(...this.made.map(([element]) => element));
      if (focused)
        this.root.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true });
    }
    this.root.hidden = !controls.length;
    controls.forEach((each, place) =>
      this.made[place][1]({ ...each, value: this.unconfirmed.value(each.name, each.value) }),
    );
  }

  said(name, value, soon = false) {
    this.unconfirmed.choose(name, value);
    if (this.waiting?.name !== name) this.report();
    clearTimeout(this.later);
    this.waiting = { name, value };
    if (soon) this.report();
    else this.later = setTimeout(() => this.report(), PAUSE);
  }

  report() {
    clearTimeout(this.later);
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.tell(waiting.name, waiting.value);
  }
}

// Each returns its element, and a function that updates it.
const KINDS = {
  text: () => {
    const made = make("span", { class: "says" });
    return [
      made,
      ({ text }) => {
        written(made, text);
      },
    ];
  },
  button: ({ name, text, main }, said) => {
    const made = make("button", {
      type: "button",
      class: main ? "main" : "",
      "data-name": name,
      text,
      onclick: () => said(true, true),
    });
    return [
      made,
      ({ disabled, hint, text: now }) => {
        made.disabled = Boolean(disabled);
        written(made, now);
        made.title = hint || "";
      },
    ];
  },
  choice: ({ name, label, options, help }, said) => {
    const select = make(
      "select",
      { "aria-label": label, "data-name": name, onchange: () => said(select.value, true) },
      ...options.map(([value, text]) => make("option", { value, text })),
    );
    return [
      make("label", { class: "choice", title: help }, make("span", { text: label }), select),
      ({ value }) => {
        select.value = value;
      },
    ];
  },
  flag: ({ name, label, help }, said) => {
    const box = make("input", {
      type: "checkbox",
      "data-name": name,
      onchange: () => said(box.checked, true),
    });
    return [
      make("label", { title: help }, box, make("span", { text: label })),
      ({ value }) => {
        box.checked = value;
      },
    ];
  },
  range: ({ name, label, help }, said) => {
    const shown = make("output");
    const slider = make("input", { type: "range", "aria-label": label, "data-name": name });
    // A chance is shown in percent; a number that can be negative or above 1 is none.
    const says = (value) => {
      const chance = Number(slider.min) >= 0 && Number(slider.max) <= 1;
      written(shown, chance ? percentOf(value) : decimal(value));
    };
    slider.addEventListener("input", () => {
      says(slider.value);
      said(Number(slider.value));
    });
    return [
      make("label", { class: "range", title: help }, make("span", { text: label }), slider, shown),
      ({ value, low, high, step }) => {
        Object.assign(slider, { min: low, max: high, step });
        if (slider.matches(":active")) return;
        slider.value = value;
        says(value);
      },
    ];
  },
  number: ({ name, label, step }, said) => {
    const field = make("input", {
      type: "number",
      step,
      "aria-label": label,
      "data-name": name,
      oninput: () => {
        if (field.value !== "" && field.checkValidity()) said(Number(field.value));
      },
    });
    return [
      make("label", { class: "number" }, make("span", { text: label }), field),
      ({ value }) => {
        if (Number(field.value) !== value || field.value === "") field.value = value;
      },
    ];
  },
};
