// A press that cannot be taken back: the first one asks, and only the second one acts. Nothing is sent
// before, so that a reload has changed nothing, and nobody else hears of it. Pages do the
// same with `explorer/ui/sure.py`.

import { make } from "./elements.js";

const NO_DOUBLE_TAP = 400; // milliseconds in which the second press is not taken

// Ask in place of what stands in `where`: `asks` what is done, `yes` on the button that does it. The
// focus goes to the way back, so that a key pressed twice acts no more than one.
export function ask(where, { asks, yes, kind = "", act }) {
  const before = [...where.childNodes];
  const opener = where.getRootNode().activeElement;
  const leave = () => {
    if (!where.contains(panel)) return;
    where.replaceChildren(...before);
    where.classList.remove("asking");
  };
  const back = () => { leave(); opener?.focus({ preventScroll: true }); };
  const sure = make("button", { type: "button", class: `yes ${kind}`, text: yes, disabled: true, onclick: () => { leave(); act(); } });
  const calm = make("button", { type: "button", class: "calm", text: "Cancel", onclick: back });
  const panel = make("div", { class: "ask-first", role: "alertdialog", "aria-label": asks }, make("p", { text: asks }), make("div", { class: "answers" }, calm, sure));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    back();
  });
  where.replaceChildren(panel);
  where.classList.add("asking");
  calm.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
  setTimeout(() => { sure.disabled = false; }, NO_DOUBLE_TAP);
  return leave;
}
