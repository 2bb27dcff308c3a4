// A lesson or a playable by itself, for an <iframe> of another site:
// `embed.html#lesson?lesson=two-rooms` or `embed.html#playable?name=two_rooms`. `&theme=dark` (or
// `light`) gives it the theme of the page around it, also later; without, it follows the system.

import { make, written } from "./elements.js";
import { THEME } from "./light.js";
import { Learning } from "./site_learn.js";
import { Python } from "./site_python.js";

const NAME = /^[a-z0-9_-]{1,60}$/;
const OURS = /^#(?:lesson|playable)\?/;

export function mount(root, { base }) {
  const page = new Embedded(root, base);
  // Links to other pages lead out of the frame.
  addEventListener(
    "click",
    (event) => {
      const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
      const to = link?.getAttribute("href");
      if (!to?.startsWith("#") || OURS.test(to)) return;
      link.href = new URL(to, base).href;
      link.target = "_blank";
    },
    true,
  );
  addEventListener("hashchange", () => page.open());
  return page.open();
}

class Embedded {
  constructor(root, base) {
    this.base = base;
    this.first = { lessons: [] };
    this.openings = 0;
    this.shown = ""; // the address that is open, without the theme
    this.note = make("p", { class: "note", role: "alert", hidden: true });
    this.section = make("section");
    this.source = make("a", { class: "source", target: "_blank", text: "NIP Explorer" });
    root.replaceChildren(this.note, this.section, this.source);
    this.learning = new Learning(this, this.section);
    this.learning.list.hidden = this.learning.back.hidden = true;
    // Games and experiments need it; it starts with the first one.
    this.python = new Python(
      base,
      (data) => this.heard(data),
      () => this.tell("That took too long, so Python was stopped. Try it again."),
    );
    // A page around the frame may give it the height that it needs.
    new ResizeObserver(() =>
      parent.postMessage({ "nip-explorer": "height", height: root.scrollHeight }, "*"),
    ).observe(root);
  }

  tell(text) {
    this.note.hidden = !text;
    written(this.note, text);
  }

  // Returns a function that says whether something else was opened since.
  opening() {
    const mine = ++this.openings;
    return () => mine !== this.openings;
  }

  async open() {
    const [page, rest = ""] = location.hash.slice(1).split("?", 2),
      asked = new URLSearchParams(rest);
    this.dress(asked.get("theme"));
    asked.delete("theme");
    const address = `#${page}?${asked}`;
    if (address === this.shown) return;
    this.shown = address;
    const overtaken = this.opening(),
      /** @type {any} */
      query = Object.fromEntries(asked),
      name = (page === "lesson" ? query.lesson : query.name) ?? "";
    this.tell("");
    this.source.href = new URL(page === "lesson" ? address : "#learn", this.base).href;
    this.learning.place.replaceChildren();
    if (page === "lesson" && NAME.test(name)) return this.learning.lesson(query, overtaken);
    const found =
      page === "playable" && NAME.test(name)
        ? await fetch(new URL(`playables/${name}.json`, this.base)).catch(() => null)
        : null;
    if (overtaken()) return;
    if (!found?.ok) return this.tell("There is no lesson or drawing of this name here.");
    const { title, front, data } = await found.json(),
      drawing = make("div");
    document.title = title;
    this.learning.place.replaceChildren(make("h1", { text: title }), drawing);
    await this.learning.playable(front, drawing, data);
  }

  dress(theme) {
    const { dataset } = document.documentElement;
    if (theme === "light" || theme === "dark") dataset.theme = theme;
    else delete dataset.theme;
    dispatchEvent(new Event(THEME));
  }

  heard({ failed, answered, shown }) {
    if (failed) this.tell(`This step needs Python, which could not start: ${failed}.`);
    const { refused } = answered ? JSON.parse(answered) : {};
    if (refused) this.tell(refused);
    const { place, data } = shown ? JSON.parse(shown) : {};
    if (place === "lesson") this.learning.answer(data);
  }
}
