// A lesson: its parts one after the other, with what a person has answered. It is the same for
// somebody who takes it alone, on the site or in the app, and in a room: on phones, on the projector
// and for the facilitator.
//
// A part is data that does not change, and data that does: the scene of a game, the result of an
// experiment, the answers of a class, and solutions that may be shown. A host that keeps progress
// gives `done`; otherwise it is kept in this browser. The app sends each piece of data once, under a
// name; `send` says which names are known here.

import { make, written } from "./elements.js";
import { playable, tallies } from "./lesson_drawings.js";
import { experiment, game } from "./lesson_games.js";
import { predict, quiz, say } from "./lesson_questions.js";
import { table } from "./lesson_tables.js";
import { keep, recallObject } from "./memory.js";
import { prose } from "./prose.js";
import { LANGUAGE, tr } from "./words.js";

const KEPT = "nip-lesson-";
const SEEN = "nip-lessons"; // the progress in all lessons of this browser
const KINDS = { experiment, game, playable, predict, quiz, say, table, text, open };
const NAMES = { predict: "guess", quiz: "quiz", playable: "result", say: "said" };
const answerName = ({ kind, place }) => `${NAMES[kind]}-${place}`;

// The data that the app has sent to this page, by name.
const known = new Map();
const data = (named) => (typeof named === "string" ? known.get(named) : named);

// `front` mounts the drawing of a playable: it takes its name or address, an element, and its data.
// With `beside`, what stands below a drawing is put into its element, for a host that arranges both.
export function mount(root, send, front = fromAddress, beside = false) {
  const page = new Lesson(root, send, front, beside);
  return {
    show: (shown) => page.show(shown),
    answer: (shown) => page.answer(shown),
    destroy: () => page.destroy(),
  };
}

async function fromAddress(address, root, shown) {
  const { mount: mountFront, style } = await import(new URL(address, location.origin).href);
  const inside = root.attachShadow({ mode: "open" }),
    own = make("div", { class: "nip-front" });
  inside.append(make("style", { text: style }), own);
  mountFront(own, () => {}).show(shown);
}

class Lesson {
  constructor(root, send, front, beside) {
    this.sendAs = send;
    this.front = front;
    this.beside = beside;
    this.sections = new Map();
    this.coming = []; // drawings that are being loaded
    this.progress = make("p", { role: "status" });
    this.sources = make("details", { hidden: true });
    this.body = make("div", { class: "lesson" });
    root.replaceChildren(this.body);
  }

  destroy() {
    for (const section of this.sections.values()) section.destroy();
  }

  send(does, request) {
    this.sendAs(does, { lesson: this.about.slug, holds: [...known.keys()], ...request });
  }

  // `step` counts from 1 and is scrolled to; the parts before it are shown as well.
  show({ about, parts, pieces = {}, done, step = 0 }) {
    for (const [name, piece] of Object.entries(pieces)) known.set(name, piece);
    const first = !this.about;
    this.about = data(about);
    this.body.lang = this.about?.language ?? LANGUAGE;
    if (!this.about || parts.some((part) => part.some((one) => !data(one))))
      return this.sendAs("lacks", { holds: [] });
    this.hosted = done !== undefined;
    this.done = done ?? recallObject(this.kept());
    this.parts = parts.map(([part, now]) => {
      const fixed = data(part),
        mark = typeof part === "string" ? part : fixed.digest,
        shown = { ...fixed, ...data(now), mark };
      return shown.instead && this.exchanged() ? { ...shown, ...shown.instead } : shown;
    });
    this.reached = step;
    this.cited = this.about.sources.map(([key]) => key);
    const sources = this.about.sources.map(([, text]) => make("li", { text }));
    this.sources.replaceChildren(
      make("summary", { text: tr("Sources") }),
      make("ol", {}, ...sources),
    );
    this.draw();
    // After everything before it has its height.
    const drawn = Promise.all(this.coming).then(() => {
      if (first && step) this.body.children[step - 1]?.scrollIntoView();
    });
    this.coming = [];
    return drawn;
  }

  // New data from Python for one part.
  answer({ lesson, place, now }) {
    const part = this.parts?.[place];
    if (lesson !== this.about?.slug || !part) return;
    this.parts[place] = { ...part, ...now };
    this.draw();
  }

  // Where a browser keeps the progress: another version of the lesson may have other parts there.
  kept() {
    const { slug, version } = this.about;
    return `${KEPT}${slug}-${version}`;
  }

  // Whether the person begins with the question that others end with, as chance draws once.
  exchanged() {
    if (this.done.exchanged === undefined) this.note("exchanged", Math.random() < 0.5);
    return this.done.exchanged;
  }

  // What the person has answered in a part.
  mine(part) {
    return this.done[answerName(part)];
  }

  take(part, value) {
    this.note(answerName(part), value);
    if (this.hosted) this.send("answer", { place: part.place, value });
    this.draw();
  }

  note(name, value) {
    this.done = { ...this.done, [name]: value };
    if (!this.hosted) keep(this.kept(), JSON.stringify(this.done));
  }

  // Parts that stay keep their elements, and so games begun in them, the focus, and what is typed.
  draw() {
    const shown = [],
      left = new Map(this.sections);
    for (const part of this.parts) {
      let section = left.get(part.id);
      if (section?.mark === part.mark) {
        left.delete(part.id);
        section.update(part);
      } else {
        section = this.section(part);
        section.update(part);
        left.get(part.id)?.destroy();
        left.delete(part.id);
        this.sections.set(part.id, section);
      }
      shown.push(section.root);
      const waits = part.after && this.mine(part) === undefined;
      if (!waits || part.place + 1 < this.reached) continue;
      shown.push((section.after ??= make("p", { class: "quiet", text: part.after })));
      break;
    }
    for (const [id, section] of left) {
      section.destroy();
      this.sections.delete(id);
    }
    // In a room only their numbers are known.
    this.sources.hidden = !this.about.sources.some(([, text]) => text);
    arrange(this.body, [...shown, this.progress, this.sources]);
    this.count();
  }

  section(part) {
    const { kind, label, link, place } = part,
      root = make("section", { class: kind, "aria-label": label });
    const section = { root, part, mark: part.mark, updates: [], ends: [] };
    section.update = (now) => {
      section.part = now;
      for (const update of section.updates) update();
    };
    section.destroy = () => section.ends.forEach((end) => end());
    const made = KINDS[kind](this, section);
    if (part.round) made.unshift(make("p", { class: "quiet", text: part.round }));
    // What a class has answered comes before the solution, which is the last element.
    const answered = kind === "predict" || kind === "quiz" ? -1 : made.length;
    if (part.asks) made.splice(answered, 0, tallies(section));
    if (link)
      made.push(
        make("a", {
          class: "step",
          href: link,
          target: "_self",
          title: tr("A link to this step"),
          "aria-label": tr("A link to step {n}", { n: place + 1 }),
          text: "#",
        }),
      );
    const drawing = this.beside ? made.findIndex((one) => one?.className === "drawing") : -1;
    if (part.front && drawing >= 0)
      made[drawing].append(...made.splice(drawing + 1).filter(Boolean));
    root.append(...made.filter(Boolean));
    return section;
  }

  prose(text) {
    return text ? prose(text, this.cited) : null;
  }

  // Says how many questions are answered, and remembers it for the list of lessons.
  count() {
    const { slug, title, questions } = this.about;
    this.progress.hidden = !questions;
    if (questions === undefined) return;
    const questionsSeen = this.parts.filter(({ kind }) => kind === "quiz");
    const chosen = questionsSeen.filter((part) => this.mine(part) !== undefined);
    const right = chosen.filter((part) =>
      part.answers?.some((one) => one.right && one.text === this.mine(part)),
    );
    const far = { answered: chosen.length, right: right.length };
    const text = tr("{answered} of {questions} questions answered, {right} right.", {
      ...far,
      questions,
    });
    if (this.progress.textContent === text) return;
    written(this.progress, text);
    const seen = recallObject(SEEN),
      best = (name) => Math.max(seen[slug]?.[name] ?? 0, far[name]);
    seen[slug] = { title, questions, answered: best("answered"), right: best("right") };
    keep(SEEN, JSON.stringify(seen));
  }
}

function text(lesson, { part }) {
  return [lesson.prose(part.text)];
}

function open(_, { part: { href, title } }) {
  if (!href)
    return [
      make("p", { class: "quiet", text: tr("“{title}” needs the program itself.", { title }) }),
    ];
  // A new window, if possible, so that the lesson keeps its place.
  const target = href.startsWith("#") ? null : "_blank";
  return [make("a", { class: "way", href, target, text: title })];
}

// Puts the elements in order, without touching those that stay where they are.
function arrange(root, wanted) {
  for (const child of [...root.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, place) => {
    if (root.children[place] !== child) root.insertBefore(child, root.children[place] ?? null);
  });
}
