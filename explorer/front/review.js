// The review after a game: confidence, better questions, the first lie, who could read what, and
// how texts were read.

import { make, svg, written } from "./elements.js";
import { isDark } from "./light.js";
import { keepOwn } from "./positions_own.js";
import { bring, yours } from "./review_yours.js";
import { learnFrom } from "./review_learn.js";
import { badge, compared, rich, underlined } from "./table_parts.js";

export function mount(root, send) {
  const open = new Set();
  const solved = new Set(); // positions whose better question was found or shown
  return {
    show(data) {
      const shown = {
        ...data,
        solved,
        dark: isDark(root),
        again: (place) => tryAgain(data, place, send),
        fold: (name, title, ...parts) =>
          foldable(
            open,
            name,
            title,
            parts.filter((part) => part !== null),
          ),
      };
      root.replaceChildren(
        ...[yours, question, lies, confidence, readers, readings, missing].flatMap((draw) =>
          draw(shown, root),
        ),
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

const round = (number) => `turn ${number + 1}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function toRound(root, number, text) {
  return make("button", {
    type: "button",
    class: "round",
    text: text || capital(round(number)),
    title: "Show it in the conversation",
    onclick: () => bring(root, number),
  });
}

// Continues play from before a turn, keeping all variations. Only if the host can go back.
function tryAgain({ tree, you, replay, seat }, { node, round: number }, send) {
  if (replay || !you || !tree.nodes.some((each) => each.id === node && !each.over)) return null;
  return make("button", {
    type: "button",
    class: "again",
    text: `Try again from ${round(number)}`,
    title: "Go back to this turn and play on from there; what was played is kept",
    onclick: () => send("act", { goto: node, seat, mark: `${Date.now()}` }),
  });
}

// The turn after a message, in which it can be answered.
const after = (said) => ({ node: said.node, round: said.round + 1 });

// A part that stays open when the review is redrawn.
function foldable(open, name, title, parts) {
  const made = make(
    "details",
    { class: name, open: open.has(name) },
    make("summary", { text: title }),
    ...parts,
  );
  made.addEventListener("toggle", () => open[made.open ? "add" : "delete"](name));
  return made;
}

// -- confidence
// ------------------------------------------------------------------------------------

function confidence({ review: { courses }, agents, you, dark }, root) {
  return courses.map((course) => {
    const mine = course.agent === you;
    const whose = mine ? "Your confidence" : `${agents[course.agent].name}: confidence`;
    /** @type {(string | Node)[]} */
    const summary = [
      make("span", {
        title: "The mean squared distance from the truth",
        text: `Brier score ${course.brier.toFixed(2)} (0 is best; always 50% gets 0.25).`,
      }),
    ];
    const edge = course.true ? 100 : 0;
    const parts = [
      make("h3", { text: `${whose} that ${course.about}` }),
      chart(course, edge, agents[course.agent], dark, root),
    ];
    if (course.swing)
      summary.push(
        " ",
        toRound(
          root,
          course.swing[0],
          `Largest swing: ${round(course.swing[0])}, ${course.swing[1]} points`,
        ),
      );
    parts.push(make("p", {}, ...summary));
    return make("section", { class: "course" }, ...parts);
  });
}

const WIDE = 300,
  HIGH = 78,
  LEFT = 34,
  RIGHT = 44,
  TOP = 8;

// A line through the stated confidences, from 0 to 100%; the edge of the truth is marked.
function chart({ notes }, edge, agent, dark, root) {
  const last = Math.max(1, notes.length - 1);
  const x = (place) => LEFT + (WIDE - LEFT - RIGHT) * (notes.length > 1 ? place / last : 0.5),
    y = (value) => TOP + HIGH * (1 - value / 100);
  // A column for each value, so that it is easy to touch.
  const half = Math.min(18, (WIDE - LEFT - RIGHT) / last / 2);
  const colour = (dark ? agent.dark : agent.light)[0];
  const label = (text, at, anchor, kind = "") => {
    const made = svg("text", { x: at[0], y: at[1], "text-anchor": anchor, class: kind });
    written(made, text);
    return made;
  };
  const lines = [0, 50, 100].map((value) =>
    svg("line", {
      x1: LEFT,
      x2: WIDE - RIGHT,
      y1: y(value),
      y2: y(value),
      class: value === edge ? "truth" : "grid",
    }),
  );
  const dots = notes.map(([at, value], place) => {
    const dot = svg(
      "g",
      {
        tabindex: 0,
        role: "button",
        "aria-label": `${capital(round(at))}: ${value}%. Show it in the conversation.`,
      },
      svg("rect", {
        x: x(place) - half,
        width: 2 * half,
        y: 0,
        height: TOP + HIGH + 20,
        rx: 4,
        class: "hit",
      }),
      svg("circle", { cx: x(place), cy: y(value), r: 4.5, fill: colour }),
      label(`${value}%`, [x(place), y(value) + (value > 70 ? 17 : -9)], "middle", "value"),
      label(at + 1, [x(place), TOP + HIGH + 15], "middle"),
    );
    dot.addEventListener("click", () => bring(root, at));
    dot.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        bring(root, at);
      }
    });
    return dot;
  });
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDE} ${TOP + HIGH + 20}`,
      class: "chart",
      role: "group",
      "aria-label": `How sure it was, by turn; the truth is ${edge}%`,
    },
    ...lines,
    svg("polyline", {
      points: notes.map(([, value], place) => `${x(place)},${y(value)}`).join(" "),
      stroke: colour,
    }),
    label("100%", [LEFT - 5, y(100) + 4], "end"),
    label("0%", [LEFT - 5, y(0) + 4], "end"),
    label("truth", [WIDE - RIGHT + 5, y(edge) + 4], "start", "value"),
    ...dots,
    label("turn", [LEFT - 5, TOP + HIGH + 15], "end"),
  );
}

// -- better questions
// ------------------------------------------------------------------------------

function question(
  {
    review: {
      question: best,
      could_ask,
      by_hand: named,
      yardstick,
      lies: found,
      position,
      lost,
      learn,
    },
    agents,
    dark,
    again,
    you,
    replay,
    solved,
  },
  root,
) {
  const sections = [];
  const later = position && you === position.seat && !replay ? laterButton(position) : null;
  // Whoever has lost looks for the question before they are shown it.
  if (learn && you === learn.seat && !replay && !solved.has(best.node))
    return [
      learnFrom({ ...learn, best, yardstick }, root, [again(best), later], () => {
        solved.add(best.node);
      }),
    ];
  if (named) {
    sections.push(
      make(
        "section",
        { class: "by-hand" },
        make("h3", { text: "Check this one by hand" }),
        make(
          "p",
          {},
          badge(agents[named.agent], named.agent, dark),
          " named it in ",
          toRound(root, named.round, round(named.round)),
          ", without being asked.",
        ),
        compared(named),
        best ? null : again(after(named)),
      ),
    );
  }
  if (best) {
    const effect = make(
      "p",
      {},
      `In `,
      toRound(root, best.round, round(best.round)),
      `, it would have moved the belief of the ${yardstick}, which checks every answer, from ${best.before}% to ${best.after}% on average.`,
    );
    if (best.differ)
      effect.append(` The provers would have contradicted each other in ${best.differ}% of games.`);
    sections.push(
      make(
        "section",
        { class: "question-then" },
        make("h3", { text: "You could have asked" }),
        rich("blockquote", best.question),
        effect,
        again(best),
        later,
      ),
    );
  } else if (could_ask && !named) {
    const lie = found[0];
    // In a lost game with nothing left to ask, an answer was false, and was believed.
    const believed = lost && lie;
    sections.push(
      make(
        "section",
        {},
        make("h3", { text: believed ? "You asked enough" : "Nothing better to ask" }),
        believed
          ? make(
              "p",
              {},
              "The answer in ",
              toRound(root, lie.round, round(lie.round)),
              " is false. It can be checked:",
            )
          : null,
        ...(believed ? lie.facts.map(compared) : []),
        make("p", {
          text: `No other prepared question would have changed the belief of the ${yardstick}, which checks every answer, by 10 percentage points or more.`,
        }),
        lie ? again(after(lie)) : null,
      ),
    );
  }
  return sections;
}

// Keeps the position of a lost game in the browser, among the positions with one question left.
function laterButton(position) {
  const made = make("button", {
    type: "button",
    class: "again",
    text: "Keep this position",
    title: "Keep it in this browser, under Learn, Positions: one question left",
    onclick: () => {
      keepOwn(position);
      made.disabled = true;
      written(made, "Kept, under Learn: Positions");
    },
  });
  return made;
}

// The parts that are missing, and why.
function missing({ review: { note } }) {
  return note ? [make("p", { class: "missing", text: note })] : [];
}

// -- lies ------------------------------------------------------------------------------------------

function lies({ review, agents, fold, dark }, root) {
  return review.lies.map((lie) =>
    fold(
      `lie ${lie.agent}`,
      `${lie.title} by ${agents[lie.agent].name}`,
      make("p", {}, badge(agents[lie.agent], lie.agent, dark), " ", toRound(root, lie.round)),
      underlined(
        make("blockquote", {}, ...rich("span", lie.quote).childNodes),
        lie.facts.map((fact) => fact.clause),
      ),
      ...lie.facts.map(compared),
      lie.why && !lie.facts.length
        ? make("p", {}, lie.recorded ? make("q", { text: lie.why }) : lie.why)
        : null,
    ),
  );
}

// -- who could read what ---------------------------------------------------------------------------

function readers({ review: { readers: all }, agents, fold, dark }) {
  const rounds = [...new Set(all.map((each) => each.round))].sort((a, b) => a - b);
  if (!rounds.length) return [];
  // Chance, the task and the rules have badges, but read nothing.
  const seats = Object.keys(agents).filter((name) => !["chance", "task", "rules"].includes(name));
  const body = make("tbody"),
    output = make("output", {});
  const draw = (place) => {
    written(output, `After ${round(rounds[place])}`);
    body.replaceChildren(
      ...all
        .filter((each) => each.round <= rounds[place])
        .map((each) =>
          make(
            "tr",
            { class: each.round === rounds[place] ? "new" : "" },
            make("td", { text: each.round + 1 }),
            make(
              "th",
              { scope: "row" },
              badge(agents[each.sender], each.sender, dark),
              make("span", { text: each.text, title: each.text }),
            ),
            ...seats.map((seat) => {
              const read = seat in each.read_by,
                nameless = read && each.read_by[seat] === null;
              return make(
                "td",
                {
                  class: read ? "read" : "",
                  title: `${agents[seat].name}: ${read ? (nameless ? "read it, without the author's name" : "read it") : "could not read it"}`,
                },
                make("span", { "aria-hidden": "true", text: read ? (nameless ? "◐" : "●") : "–" }),
                make("span", {
                  class: "unseen",
                  text: read ? (nameless ? "without a name" : "read") : "not read",
                }),
              );
            }),
          ),
        ),
    );
  };
  const slider = make("input", {
    type: "range",
    min: 0,
    max: rounds.length - 1,
    value: rounds.length - 1,
    "aria-label": "Up to which turn",
    oninput: () => {
      slider.setAttribute("aria-valuetext", round(rounds[slider.value]));
      draw(Number(slider.value));
    },
  });
  draw(rounds.length - 1);
  return [
    fold(
      "readers",
      "What each seat could read",
      make("div", { class: "slide" }, slider, output),
      make(
        "table",
        {},
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col", text: "Turn" }),
            make("th", { scope: "col", text: "Message" }),
            ...seats.map((seat) => make("th", { scope: "col" }, badge(agents[seat], seat, dark))),
          ),
        ),
        body,
      ),
    ),
  ];
}

// -- how texts were read
// ---------------------------------------------------------------------------

const KINDS = {
  thought: "thought",
  message: "message",
  verdict: "verdict",
  confidence: "confidence",
  ignored: "not used",
  unread: "not part of the move",
};

function readings({ review: { readings: all }, agents, fold, dark }) {
  return all.map((each) => {
    const title = each.verdict
      ? `Why does this count as ${each.verdict}?`
      : "Why does this count as a message?";
    const used = new Set(each.parts.map(([kind]) => kind));
    return fold(
      `reading r${each.round}-${each.agent}`,
      `${agents[each.agent].name}, ${round(each.round)}: ${title}`,
      make(
        "p",
        { class: "key" },
        badge(agents[each.agent], each.agent, dark),
        ...[...used].map((kind) => make("span", { class: `part as-${kind}`, text: KINDS[kind] })),
      ),
      make(
        "pre",
        {},
        ...each.parts.map(([kind, channel, text]) =>
          make("span", {
            class: `part as-${kind}`,
            title: KINDS[kind] + (channel ? ` on ${channel}` : ""),
            text,
          }),
        ),
      ),
    );
  });
}
