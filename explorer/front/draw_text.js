// The text beside the picture, its files, and the history.

import { button, fill } from "./draw_fields.js";
import { make, written } from "./elements.js";

const PAUSE = 500; // milliseconds without typing before a text is read

export class Source {
  constructor(editor) {
    this.editor = editor;
    this.text = make("textarea", {
      class: "code",
      spellcheck: "false",
      rows: 20,
      "aria-label": "The protocol as TOML",
    });
    this.faults = make("ol", { class: "faults", role: "status" });
    this.fold = make(
      "details",
      { class: "source" },
      make("summary", { text: "As text" }),
      this.text,
      this.faults,
    );
    this.steps = make("ol");
    const replay = button("Play it back …", "", () => editor.dialogs.keeping.replay());
    this.past = make(
      "details",
      { class: "past" },
      make("summary", { text: "How it was built" }),
      replay,
      this.steps,
    );
    this.file = make("input", {
      type: "file",
      accept: ".toml,.json",
      hidden: true,
      "aria-label": "Open a file",
    });
    this.fold.addEventListener("toggle", () => this.fold.open && editor.ask({ look: "text" }));
    this.text.addEventListener("input", () => {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.read(this.text.value), PAUSE);
    });
    this.text.addEventListener("blur", () => this.draw());
    this.file.addEventListener("change", async () => {
      const [file] = this.file.files;
      if (file) this.read(await file.text(), true);
      this.file.value = "";
    });
  }

  destroy() {
    clearTimeout(this.later);
  }

  get typing() {
    return this.text.getRootNode().activeElement === this.text;
  }

  // Read what was typed; while it does not load, the picture stays.
  read(text, opened = false) {
    this.typed = text;
    this.editor.ask({ text }, (refused) => {
      if (this.typed !== text) return;
      if (refused && opened) this.editor.say(`This file cannot be used. ${refused.message}`);
      this.wrong = refused ? text : null;
      const mistakes = refused?.mistakes?.length
        ? refused.mistakes
        : refused
          ? [{ line: 0, said: refused.message, remedy: "" }]
          : [];
      this.faults.replaceChildren(
        ...mistakes.map(({ line, said, remedy }) =>
          make("li", { text: `${line ? `Line ${line}: ` : ""}${said} ${remedy}` }),
        ),
      );
    });
  }

  draw() {
    const { text, history } = this.editor.screen;
    // What does not load stays as it was typed until something else is changed.
    if (text !== null && !this.typing && !this.wrong && this.text.value !== text)
      this.text.value = text;
    fill(this.steps, history, () => this.past_(history));
  }

  past_({ at, first, steps }) {
    const line = (number, words) => {
      const step = button(words, number === at ? "step now" : "step", () =>
        this.editor.ask({ move: number }),
      );
      if (number === at) step.setAttribute("aria-current", "step");
      return make("li", { class: number > at ? "undone" : "" }, step);
    };
    const begin = first ? [] : [line(0, "The beginning")];
    return [
      ...begin,
      ...steps.map((words, n) =>
        line(first + n + 1, words.charAt(0).toUpperCase() + words.slice(1)),
      ),
    ];
  }

  forget() {
    this.wrong = null;
    written(this.faults, "");
  }
}
