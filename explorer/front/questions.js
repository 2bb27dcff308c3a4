// Questions about a protocol, of which one is shown: each with its own answer, a number.

import { Cards } from "./choices.js";
import { make, mounting } from "./elements.js";

class Questions extends Cards {
  constructor(root, send) {
    super(root, send, "question", { class: "questions", "aria-label": "Question" });
    root.replaceChildren(this.list);
  }

  show({ questions, selected }) {
    // The page reruns when a number is known; the focus is kept for keyboard users.
    const focused = this.list.getRootNode().activeElement?.getAttribute("data-name");
    if (this.fill(questions, (each) => this.card(each))) this.find(focused)?.focus();
    this.select(selected);
  }

  card({ key, title, about, number, unit }) {
    return this.button(
      key,
      {},
      make("span", { class: "title", text: title }),
      make("span", { class: "about", text: about }),
      make("span", { class: "number", text: number }),
      make("span", { class: "unit", text: unit }),
    );
  }
}

export const mount = mounting(Questions);
