// Lessons and positions of the site: the list, a lesson at a step, and Python's answers.

import { make } from "./elements.js";
import { part } from "./site_part.js";

const VERSION = 1;
const FRONT = /^touch_[a-z_]+$/;
const CHANGED =
  "This link was made with another version of NIP Explorer: this step of the lesson has changed since.";

export class Learning {
  constructor(site, section) {
    this.site = site;
    this.list = make("div");
    this.place = make("div");
    this.back = make("p", {}, make("a", { href: "#learn", text: "All lessons" }));
    section.append(this.list, this.back, this.place);
  }

  async open(name, query) {
    const overtaken = this.site.opening();
    this.list.hidden = name !== "learn";
    this.back.hidden = name === "learn";
    this.place.replaceChildren();
    this.front = null;
    if (name === "positions") return this.positions(overtaken);
    if (name !== "lesson") return this.cards();
    const refused = this.refusal(query);
    if (refused) {
      this.site.tell(refused);
      this.list.hidden = false;
      return this.cards();
    }
    await this.lesson(query, overtaken);
  }

  // Why a link to a lesson cannot be opened; empty if it can.
  refusal({ v = "1", lesson = "", step = "1" }) {
    if (!/^\d{1,6}$/.test(v) || v === "0") return "This link is damaged.";
    if (Number(v) > VERSION) return "This link was made by a newer version of NIP Explorer.";
    if (!this.site.first.lessons.some(({ slug }) => slug === lesson))
      return "There is no lesson of this name here.";
    return /^\d{1,4}$/.test(step) && step !== "0"
      ? ""
      : "This link names a step that no lesson has.";
  }

  cards() {
    if (this.list.children.length) return;
    const cards = this.site.first.lessons.map(
      ({ slug, title, question, summary, minutes, picture }, place) => {
        const at = (theme) => new URL(`lessons/${slug}-${theme}.svg`, this.site.base).href;
        const drawn = picture
          ? make(
              "picture",
              {},
              make("source", { media: "(prefers-color-scheme: dark)", srcset: at("dark") }),
              make("img", { src: at("light"), alt: "", loading: "lazy" }),
            )
          : null;
        return make(
          "a",
          { href: `#lesson?lesson=${slug}` },
          drawn,
          make("small", { text: `${place + 1} · ${title} · ${minutes} min` }),
          make("b", { text: question }),
          make("span", { text: summary }),
        );
      },
    );
    this.list.append(
      make("h1", { text: "Learn" }),
      make("p", {
        text: "Each lesson opens with a question and something to try. No background needed.",
      }),
      make("div", { class: "cards" }, ...cards),
      make("p", {}, make("a", { href: "#positions", text: "Positions: one question left" })),
    );
  }

  async lesson({ lesson: slug, step, d }, overtaken) {
    const [found, front] = await Promise.all([
      fetch(new URL(`lessons/${slug}.json`, this.site.base)),
      import("./lesson.js"),
    ]).catch(() => []);
    const page = found?.ok ? await found.json() : null;
    if (overtaken()) return;
    if (!page) return this.site.tell("This lesson could not be loaded. Load the page again.");
    const place = make("div"),
      { parts } = page.lesson,
      count = parts.length,
      wanted = step === undefined ? 0 : Number(step);
    this.place.replaceChildren(
      make("h1", { text: page.question }),
      make("p", { class: "quiet", text: page.about }),
      place,
    );
    const send = (does, value) => this.site.python.send({ does, ...value });
    const shown = await part(
      place,
      "lesson",
      this.site.base,
      (root, sent) =>
        front.mount(root, sent, (name, inside, data) => this.playable(name, inside, data)),
      send,
    );
    if (overtaken()) return;
    this.front = shown;
    if (wanted > count)
      this.site.tell(
        `This lesson has ${count} steps, and the link leads to step ${wanted}. The lesson begins here.`,
      );
    else if (wanted && d !== undefined && d !== parts[wanted - 1][0].digest)
      this.site.tell(CHANGED);
    await shown.show({ ...page.lesson, step: wanted > count ? 0 : wanted });
  }

  async playable(name, inside, data) {
    if (!FRONT.test(name)) return;
    const { mount } = await import(`./${name}.js`);
    (await part(inside, name, this.site.base, mount, () => {})).show(data);
  }

  async positions(overtaken) {
    const [found, { mount }] = await Promise.all([
      fetch(new URL("positions.json", this.site.base)),
      import("./positions.js"),
    ]);
    const data = await found.json();
    if (overtaken()) return;
    const place = make("div");
    this.place.replaceChildren(
      make("h1", { text: "One question left" }),
      make("p", { class: "words", text: this.site.first.positions }),
      place,
    );
    (await part(place, "positions", this.site.base, mount, () => {})).show(data);
  }

  answer(data) {
    this.front?.answer(data);
  }
}
