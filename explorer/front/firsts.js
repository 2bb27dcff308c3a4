// First games as cards, each with a picture: a story, two drawings, a program, or seats.

import { make, mounting, svg } from "./elements.js";

class FirstGames {
  constructor(root, send) {
    this.send = send;
    this.list = make("div", { class: "firsts", role: "group", "aria-label": "First games" });
    this.root = root;
    root.replaceChildren(this.list);
  }

  destroy() {
    this.root.replaceChildren();
  }

  show({ games }) {
    const mark = JSON.stringify(games);
    if (mark === this.mark) return;
    this.mark = mark;
    this.list.replaceChildren(...games.map((game) => this.card(game)));
  }

  card({ name, tag, about, art }) {
    return make(
      "button",
      { type: "button", class: "first", onclick: () => this.send("begin", name) },
      make("span", { class: `art ${art.kind}`, "aria-hidden": "true" }, ...DRAWN[art.kind](art)),
      make("span", { class: "tag", text: tag }),
      make("span", { class: "title", text: name }),
      make("span", { class: "about", text: about }),
    );
  }
}

// A text of which the parts between == are marked.
const words = ({ text }) => [
  make(
    "span",
    {},
    ...text
      .trim()
      .split("==")
      .map((part, place) => (place % 2 ? make("mark", { text: part }) : part)),
  ),
];

const SIDE = 84; // pixels

function drawing({ nodes, edges }) {
  const at = nodes.map(([x, y]) => [SIDE / 2 + 0.43 * SIDE * x, SIDE / 2 - 0.43 * SIDE * y]);
  return svg(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, width: SIDE, height: SIDE },
    ...edges.map(([a, b]) =>
      svg("line", { x1: at[a][0], y1: at[a][1], x2: at[b][0], y2: at[b][1] }),
    ),
    ...at.map(([cx, cy]) => svg("circle", { cx, cy, r: 4.5 })),
  );
}

const DRAWN = {
  story: words,
  program: words,
  drawings: ({ graphs }) => graphs.map(drawing),
  seats: () => [
    make("b", { class: "p1", text: "you" }),
    svg(
      "svg",
      { viewBox: "0 0 46 10", width: 46, height: 10 },
      svg("path", { d: "M0 5h40m-5-4 5 4-5 4" }),
    ),
    make("b", { class: "v", text: "V" }),
  ],
};

export const mount = mounting(FirstGames);
