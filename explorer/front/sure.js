// A button for actions that cannot be undone: the first press asks, and the second one acts.
// Nothing is sent before, so a reload cancels it. Pages use `explorer/ui/widgets.py` for this.

import { make } from "./elements.js";
import { tr } from "./words.js";

export const NO_DOUBLE_TAP = 400; // milliseconds in which a second press is ignored

// Replaces the content of `where` by a question: `asks` is the text, `yes` the label of the
// confirming button. The focus goes to Cancel, so that a key pressed twice does not confirm.
export function ask(where, { asks, yes, kind = "", act }) {
  const before = [...where.childNodes];
  const opener = where.getRootNode().activeElement;
  const leave = () => {
    if (!where.contains(panel)) return;
    where.replaceChildren(...before);
    where.classList.remove("asking");
  };
  const back = () => {
    leave();
    opener?.focus({ preventScroll: true });
  };
  const sure = make("button", {
    type: "button",
    class: `yes ${kind}`,
    text: yes,
    disabled: true,
    onclick: () => {
      leave();
      act();
    },
  });
  const calm = make("button", { type: "button", class: "calm", text: tr("Cancel"), onclick: back });
  const panel = make(
    "div",
    { class: "ask-first", role: "alertdialog", "aria-label": asks },
    make("p", { text: asks }),
    make("div", { class: "answers" }, calm, sure),
  );
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    back();
  });
  where.replaceChildren(panel);
  where.classList.add("asking");
  calm.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
  setTimeout(() => {
    sure.disabled = false;
  }, NO_DOUBLE_TAP);
  return leave;
}
