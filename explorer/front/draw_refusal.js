// Why something was not done, shown where a person tried it, with repairs as buttons.

import { button, nameOf } from "./draw_fields.js";
import { make } from "./elements.js";

const WIDE = 340; // pixels
const AROUND = ".field, .row, .sees, .tick, .between, .pay-table, .form, li";

const typedIn = (control) =>
  control.matches("input:not([type=checkbox], [type=range])") ? control.value : null;

export class Refusals {
  constructor(editor) {
    this.editor = editor;
    /** @type {HTMLElement | null} */
    this.acted = null; // what was used last
    this.note = null;
    for (const kind of ["click", "change", "pointerdown", "keydown"])
      editor.root.addEventListener(kind, (event) => this.notice(event), true);
  }

  notice(event) {
    const [target] = event.composedPath();
    if (this.note?.contains(target)) return;
    this.acted = target.closest?.("button, input, select, textarea, [data-line]") ?? this.acted;
  }

  // The part of the page that was used, and the control by its name: it may be built anew.
  from() {
    const { panel, payments, whole, beside, grid } = this.editor;
    const parts = [panel, payments.root, whole.body, beside.remarks, beside.ideas];
    const part = parts.find((one) => one.contains(this.acted));
    if (part) return { part, name: nameOf(this.acted), typed: typedIn(this.acted) };
    return { part: null, cursor: { ...grid.cursor } };
  }

  show({ part, name = "", typed = null, cursor = null }, message, buttons) {
    this.clear();
    const close = button("×", "small", () => this.clear(), "Close the message");
    const made = buttons.map(([words, press]) =>
      button(words, "small", () => {
        this.clear();
        press();
      }),
    );
    this.note = make(
      "div",
      { class: "refusal", role: "alert" },
      make("p", { text: message }),
      make("div", { class: "row" }, ...made, close),
    );
    if (part) this.beside(part, name, typed);
    else this.over(cursor);
    this.note.scrollIntoView({ block: "nearest" });
  }

  // Below the control, which shows again what is so; only what was typed stays to be mended.
  beside(part, name, typed) {
    delete part.dataset.key;
    this.editor.draw();
    const controls = [...part.querySelectorAll("button, input, select, textarea")];
    const control = controls.find((one) => nameOf(one) === name);
    if (control && typed !== null) {
      control.value = typed;
      // A condition that is written stands below a list of others.
      if (control.hidden) control.previousElementSibling.value = "…";
      control.hidden = false;
    }
    const place = control?.closest(AROUND) ?? control;
    if (place) place.after(this.note);
    else part.append(this.note);
  }

  // Below the cell in which it was tried.
  over({ line, column }) {
    const { grid } = this.editor,
      { y, height } = grid.lines[line],
      { zoom, view } = grid;
    const x = grid.x(Math.max(0, column)) * zoom - view.scrollLeft;
    const left = Math.max(0, Math.min(x, view.clientWidth - WIDE));
    this.note.classList.add("over-grid");
    this.note.style.cssText = `left:${left}px;top:${(y + height) * zoom + 4}px`;
    grid.root.append(this.note);
  }

  clear() {
    this.note?.remove();
    this.note = null;
  }
}
