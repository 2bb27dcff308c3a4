// The projector: a slide of a room, to be read from the last row. It fills the window, nothing of
// it is below the window's edge, and a chart keeps itself up to date over the window's connection.

import { mount as mountBoard } from "./board.js";
import { make, mounting, written } from "./elements.js";
import { mount as mountLesson } from "./lesson.js";
import { languageChoice } from "./language.js";
import { LiveView } from "./live.js";
import { line } from "./prose.js";
import { Fit } from "./projector_fit.js";
import { LANGUAGE, tr } from "./words.js";

const MOST_MARKS = 60; // people with a mark of their own; more are shown as a bar
const SECOND = 1000;
const MORE = tr("More on your phone.");

// Beside a drawing, which takes the whole height, stand its words, and what the class has found.
const BESIDE = `
:host { display: block; height: 100%; } .nip-front { height: 100%; }
.touch { display: grid; height: 100%; grid-template: auto auto 1fr / 50% minmax(0, 1fr); gap: 0.6em 1.2em; padding-left: 0.5em; font-size: 1em; line-height: 1.3; }
.touch svg { grid-row: 1 / -1; height: 100%; max-width: none !important; min-height: 0; }
.touch .says { margin: 0; min-height: auto; font-size: 1em; }
.touch button { font-size: 1em; min-height: 1.5em; padding: 0 0.5em; }
.touch .story, .touch[data-full] slot, .touch[data-full="buttons"] .buttons { display: none; }
slot { display: block; align-self: end; }
`;

class Projector {
  constructor(root, send) {
    this.send = send;
    this.bar = make("header", { class: "bar" });
    this.title = make("h1");
    this.body = make("div", { class: "body" });
    this.slide = make("main", { class: "slide" }, this.title, this.body);
    this.foot = make("footer", { class: "foot" });
    this.wall = make("div", { class: "wall" }, this.bar, this.slide, this.foot);
    this.more = make("b", { text: MORE, hidden: true });
    this.fit = new Fit(this.slide, (cut) => {
      this.more.hidden = !cut;
      this.foot.hidden = !cut && !this.says;
    });
    this.live = new LiveView((data) => this.tell(data));
    root.replaceChildren(this.wall);
    document.documentElement.lang = LANGUAGE;
  }

  destroy() {
    clearInterval(this.clock);
    this.live.destroy();
    this.fit.destroy();
    this.inner?.destroy();
  }

  show(slide) {
    const { kind, head, title, sources = [] } = slide;
    this.wall.dataset.kind = kind;
    this.wall.classList.toggle(
      "drawn",
      (slide.parts ?? []).some(([part]) => part.front),
    );
    this.bar.replaceChildren(
      make("span", { class: "name", text: head.title }),
      make("span", { class: "step", text: head.step }),
      make("span", { class: "join", text: tr("Join: {address}", { address: head.address }) }),
    );
    this.title.replaceChildren(...line("span", title, sources).childNodes);
    this.title.hidden = !title;
    const drawn = KINDS[kind](this, slide);
    this.live.show({ ...slide.foot, live: slide.live });
    this.fit.soon();
    return drawn;
  }

  // What is shown within the slide by another front, which stays as long as the slide's kind does.
  within(kind, mountInner) {
    if (this.holds !== kind) {
      this.inner?.destroy();
      const box = make("div", { class: "inner" });
      this.body.replaceChildren(box);
      this.inner = mountInner?.(box);
      this.holds = kind;
    }
    return this.inner;
  }

  only(...elements) {
    this.within("");
    this.body.replaceChildren(...elements);
  }

  // The line below the slide: how far the class is, and the time left.
  tell({ now = "", where = "", ends = null, clock, people, far = null, heard }) {
    clearInterval(this.clock);
    this.says = now || where;
    const says = make("span", { role: "status" }, make("b", { text: where }), ` ${now}`);
    const left = make("span", { class: "left", role: "timer" });
    this.foot.replaceChildren(this.more, says, left, people ? marks(...people) : bar(far));
    this.foot.hidden = this.more.hidden && !this.says;
    if (ends === null) return;
    const until = (heard ?? Date.now()) + (ends - clock) * SECOND;
    const tick = () => {
      const seconds = Math.max(0, Math.round((until - Date.now()) / SECOND));
      written(left, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    };
    tick();
    this.clock = setInterval(tick, SECOND / 2);
  }

  // Mounts a drawing of a lesson; what the class has found becomes a part of it.
  async draw(address, root, shown) {
    const { mount: mountFront, style } = await import(new URL(address, location.origin).href);
    const inside = root.attachShadow({ mode: "open" }),
      own = make("div", { class: "nip-front" });
    inside.append(make("style", { text: style + BESIDE }), own);
    mountFront(own, () => {}).show(shown);
    const stage = own.querySelector(".touch");
    stage.append(make("slot"));
    this.fit.watchDrawing(stage);
  }
}

const KINDS = {
  join: (wall, { invite, language }) => wall.only(invitation(invite), languageChoice(language)),
  parts: showParts,
  ask: (wall, { choices }) =>
    wall.only(make("ul", { class: "choices" }, ...choices.map((text) => make("li", { text })))),
  tables: (wall, { board }) =>
    wall.within("tables", (box) => mountBoard(box, () => {})).show(board),
  result: (wall, { columns, says }) => wall.only(...result(columns, says)),
  said: (wall, { said }) =>
    wall.only(
      make(
        "div",
        { class: "columns said" },
        ...said.map((text) => make("blockquote", {}, make("p", { text }))),
      ),
    ),
  words: (wall, { says }) => wall.only(make("p", { class: "large", text: says })),
};

function showParts(wall, { about, parts, done, signs = [] }) {
  const lesson = wall.within("parts", (box) => {
    const rows = make("ul", { class: "signs", "aria-label": tr("Pairs") }),
      inside = make("div");
    box.append(inside, rows);
    const mounted = mountLesson(inside, wall.send, (...drawing) => wall.draw(...drawing), true);
    return { ...mounted, rows };
  });
  lesson.rows.replaceChildren(
    ...signs.map(({ text, fill, ink }) =>
      make("li", { text, style: `background: ${fill}; color: ${ink}` }),
    ),
  );
  return lesson.show({ about, parts, done });
}

function invitation({ scan, address, code, alone }) {
  return make(
    "section",
    { class: "invite", "aria-label": tr("How to join") },
    scan && make("img", { src: scan, alt: tr("The address, to scan") }),
    make(
      "div",
      {},
      make("p", { text: tr("Join at") }),
      make("p", { class: "address", text: address }),
      make("p", { text: tr("Code of the room") }),
      make("p", { class: "code", text: code }),
      alone && make("p", { text: alone }),
    ),
  );
}

// A column for each condition: the share, a mark for each game, and what it is compared with.
function result(columns, says) {
  const shown = columns.map(({ name, share, about, marked, total, beside }) =>
    make(
      "section",
      {},
      make("h2", { text: name }),
      make("p", { class: "share" }, make("b", { text: share }), ` ${about}`),
      marks(marked, total),
      ...beside.map((text) => make("p", { class: "quiet", text })),
    ),
  );
  const words = says.map((text) => make("p", { class: "verdict", text }));
  return [columns.length ? make("div", { class: "columns" }, ...shown) : null, ...words].filter(
    Boolean,
  );
}

function marks(some, all) {
  if (all > MOST_MARKS) return bar(some / all);
  const each = Array.from({ length: all }, (_, place) =>
    make("i", place < some ? { class: "on" } : {}),
  );
  return make("span", { class: "marks", "aria-hidden": "true" }, ...each);
}

function bar(far) {
  if (far === null) return "";
  return make(
    "span",
    { class: "far", "aria-hidden": "true" },
    make("i", { style: `width: ${100 * far}%` }),
  );
}

export const mount = mounting(Projector);
