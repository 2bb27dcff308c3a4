// The table as one seat sees it: the claim at the head, the problem, the conversation, and a dock
// for the move, later for the review. It fills the window, and only the panes scroll; a transcript
// has its full height and scrolls with the page.

import { invite } from "./attention.js";
import { make, mounting, written } from "./elements.js";
import { isDark, onLight } from "./light.js";
import { mount as mountLines } from "./lines.js";
import { keep, recall } from "./memory.js";
import { mount as mountGrid } from "./miniature.js";
import { mount as mountReview } from "./review.js";
import { Composer } from "./table_composer.js";
import { drawDesk } from "./table_desk.js";
import { drawEnding } from "./table_ending.js";
import { drawHead, stateOf } from "./table_head.js";
import { rich } from "./table_parts.js";
import { Talk } from "./table_talk.js";
import { drawSeat, drawTask } from "./table_task.js";
import { tr } from "./words.js";

const WIDE = 44,
  TALL = 84; // pixels: the largest width of a column, and height, of the miniature
const LEAST = 560; // pixels: the least height of the panes; below it, the page scrolls

class Table {
  constructor(root, send) {
    this.send = send;
    this.marks = {};
    this.place = { id: "" };
    // Hints for beginners, which point at the part below them.
    this.hints = Object.fromEntries(
      ["problem", "move", "end"].map((at) => [
        at,
        make("div", { class: "pointer", role: "note", hidden: true }),
      ]),
    );
    this.words = make("header", { class: "words" });
    this.activity = make("div", { class: "activity" });
    this.lines = make("nav", {
      class: "lines",
      "aria-label": tr("Turns and variations of this game"),
    });
    this.statement = make("div", { class: "statement" });
    this.seat = make("details", { class: "seat", hidden: true }, make("summary"), make("div"));
    this.problem = make(
      "section",
      { class: "problem", "aria-label": tr("The problem"), tabindex: 0 },
      this.hints.problem,
      this.statement,
      this.seat,
    );
    this.channels = make("section", {
      class: "channels",
      "aria-label": tr("The conversation"),
      tabindex: 0,
    });
    this.thinking = make("p", { class: "thinking", role: "status" });
    this.waiting = make("p", { class: "waiting" });
    this.note = make("p", { class: "note" });
    this.kept = make("p", { class: "kept" });
    this.composer = make("form", { class: "composer", "aria-label": tr("Your move") });
    this.desk = make("section", { class: "desk", "aria-label": tr("What you know") });
    this.facts = make("div", { class: "facts" });
    this.review = make("section", { class: "review", "aria-label": tr("Review") });
    this.end = make(
      "section",
      { class: "end", "aria-label": tr("The end"), tabindex: -1 },
      this.hints.end,
      this.facts,
      this.review,
    );
    // On a phone, the head is one line, and either the problem or the conversation is shown.
    this.unfold = make("button", {
      class: "unfold",
      type: "button",
      "aria-label": tr("More about this game"),
      "aria-expanded": "false",
      onclick: () => this.open(!this.head.classList.contains("open")),
    });
    this.tabs = [
      [true, tr("Problem")],
      [false, tr("Conversation")],
    ].map(([problem, text]) =>
      make("button", { type: "button", text, onclick: () => this.look(problem) }),
    );
    this.reach = make(
      "div",
      { class: "reach", role: "group", "aria-label": tr("What is shown") },
      ...this.tabs,
    );
    this.dock = make(
      "div",
      { class: "dock", role: "group", "aria-label": tr("What happens now") },
      this.note,
      this.thinking,
      this.waiting,
      this.kept,
      this.hints.move,
      this.desk,
      this.composer,
      this.end,
    );
    this.head = make(
      "div",
      { class: "head" },
      this.words,
      this.unfold,
      make("div", { class: "course" }, this.activity, this.lines),
    );
    this.table = make(
      "div",
      { class: "table" },
      this.head,
      make(
        "div",
        { class: "panes" },
        this.reach,
        this.problem,
        make("div", { class: "talk" }, this.channels, this.dock),
      ),
    );
    root.replaceChildren(this.table);
    this.talk = new Talk(this.channels);
    this.move = new Composer(this.composer, this.place);
    this.ofLines = mountLines(this.lines, send);
    this.ofReview = mountReview(this.review, send);
    this.deaf = onLight(() => this.data && this.show(this.data));
    this.grid = mountGrid(this.activity, (_, round) =>
      this.activity.dispatchEvent(new CustomEvent("nip-round", { detail: round, bubbles: true })),
    );
    this.table.addEventListener("nip-round", (event) => {
      this.look(false);
      this.talk.light(event.detail);
    });
    this.table.addEventListener("nip-until", (event) => {
      this.look(false);
      this.talk.until(event.detail);
    });
    this.table.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.look(false);
    });
    this.follow();
  }

  destroy() {
    this.watched.disconnect();
    removeEventListener("resize", this.fit);
    this.talk.destroy();
    this.deaf();
    this.grid.destroy();
    this.ofLines.destroy();
    this.ofReview.destroy();
  }

  // Fills the window below the table's top edge, unless the host sets a height. Measured
  // repeatedly, since the content above it may change.
  follow() {
    const given = getComputedStyle(this.table).getPropertyValue("--nip-table-height").trim();
    this.fit = () => {
      if (this.data?.replay) return this.tall("auto");
      if (given) return this.tall(given);
      const top = this.table.getBoundingClientRect().top + scrolled(this.table);
      this.tall(`${Math.max(LEAST, Math.floor(innerHeight - top))}px`);
    };
    this.watched = new ResizeObserver(this.fit);
    for (let node = outer(this.table); node; node = outer(node)) this.watched.observe(node);
    addEventListener("resize", this.fit);
    requestAnimationFrame(this.fit);
  }

  tall(height) {
    if (height !== this.height) this.table.style.height = this.height = height;
  }

  // Shows the problem or the conversation, where there is no room for both.
  look(problem) {
    this.table.classList.toggle("reached", problem);
    this.tabs.forEach((tab, place) => tab.setAttribute("aria-pressed", problem === (place === 0)));
  }

  open(open) {
    this.head.classList.toggle("open", open);
    this.unfold.setAttribute("aria-expanded", open);
  }

  // At first there is a problem to read, and then something new in the conversation.
  turn({ channels, chosen, composer, ending, episode, replay, seat, statement }) {
    const said = channels.reduce((sum, { messages }) => sum + messages.length, 0);
    const mark = [episode, seat, said, chosen?.length, Boolean(composer.held), Boolean(ending)];
    const silent = !said && !chosen?.length && !composer.held && !ending && !replay;
    this.once("turn", mark, () => this.look(silent && statement.parts.length > 0));
    return silent;
  }

  show(data) {
    this.data = data;
    this.place.id = data.episode;
    this.dark = isDark(this.table);
    const { agents, head, ending, composer } = data;
    const mine = agents[data.you || data.seat];
    const [tone, ink] = this.dark ? mine.dark : mine.light;
    this.table.style.setProperty("--me", tone);
    this.table.style.setProperty("--on-me", ink);
    this.table.dataset.state = stateOf(data);
    this.table.classList.toggle("replay", Boolean(data.replay));
    this.fit();
    this.once("words", [head, agents, data.you], () =>
      this.words.replaceChildren(...drawHead(data, this.dark)),
    );
    this.once("activity", [data.grid, data.framed], () => this.drawActivity());
    this.once("statement", [data.statement, composer.quotes], () =>
      this.statement.replaceChildren(...drawTask(data, (text) => this.quote(text))),
    );
    this.once("seat", [data.seat, data.you, data.prompt, data.stance, data.briefing], () =>
      this.drawSeat(),
    );
    this.once("lines", [data.tree, data.replay, data.undo, data.you, data.error], () =>
      this.drawLines(),
    );
    this.once(
      "end",
      [ending, data.review, Boolean(data.replay), data.you, data.tree.nodes.length],
      () => this.drawEnd(),
    );
    this.desk.hidden = !data.desk;
    this.once("desk", data.desk ?? null, () => this.drawDesk());
    const silent = this.turn(data);
    this.once("hints", data.hints ?? [], () => this.drawHints(data.hints ?? [], silent));
    this.note.hidden = !data.note;
    written(this.note, data.note);
    this.thinking.hidden = data.thinking === null;
    this.once("thinking", data.thinking, () =>
      this.thinking.replaceChildren(
        `${tr("The model is thinking…")} ${data.thinking || ""}`,
        make("button", {
          type: "button",
          text: tr("Stop"),
          onclick: () => this.send("act", { stop: true, seat: data.seat, mark: `${Date.now()}` }),
        }),
      ),
    );
    this.move.show(data, this.send);
    // It may scroll, and without anything to write in, keys reach it only in this way.
    this.dock.tabIndex = this.composer.hidden ? 0 : -1;
    const reason = data.you ? composer.reason : tr("You are watching. This seat plays by itself.");
    this.waiting.hidden =
      !reason ||
      !this.composer.hidden ||
      ending !== null ||
      data.thinking !== null ||
      Boolean(data.replay);
    written(this.waiting, reason);
    this.kept.hidden = !data.you || !this.move.kept.length;
    written(
      this.kept,
      tr("What you have typed is kept: “{text}”", { text: this.move.kept.join("” “") }),
    );
    const stepped = data.replay && this.at !== undefined && this.at !== data.tree.here;
    this.at = data.tree.here;
    this.once(
      "channels",
      [
        data.channels,
        agents,
        composer.held,
        data.you,
        data.review?.lies,
        data.review?.claims,
        data.chosen,
      ],
      () => this.talk.show(data, this.dark),
    );
    if (stepped) this.talk.light(data.round - 1);
    remember(data);
  }

  // Redraws a part only if its content has changed, so that nothing moves while it is read.
  once(part, facts, draw) {
    const mark = JSON.stringify([facts, this.dark]);
    if (this.marks[part] === mark) return;
    this.marks[part] = mark;
    draw();
  }

  // On a phone, a hint is folded to one line once there is a conversation to read. A question that
  // it suggests is a button, which fills the box.
  drawHints(hints, silent) {
    for (const [at, place] of Object.entries(this.hints)) {
      const hint = hints.find((one) => one.at === at);
      place.hidden = !hint;
      if (!hint) continue;
      const fold = (folded) => {
        place.classList.toggle("folded", folded);
        unfold.setAttribute("aria-expanded", !folded);
      };
      const unfold = make("button", {
        type: "button",
        class: "unfold",
        "aria-label": tr("The whole hint"),
        onclick: () => fold(!place.classList.contains("folded")),
      });
      const ask = hint.ask
        ? rich("button", hint.ask, { type: "button", onclick: () => this.quote(hint.ask) })
        : null;
      place.replaceChildren(rich("p", hint.text), unfold, ...(ask ? [ask] : []));
      fold(!silent && at === "move");
    }
  }

  // The miniature of the schedule with the present or last turn. Where a column is a turn, it shows
  // what was said in it.
  drawActivity() {
    const { grid, rounds, framed } = this.data;
    const picks = grid.columns === rounds;
    const now =
      framed === null
        ? ""
        : tr("Turn {turn} of {turns} is framed.", { turn: framed + 1, turns: rounds });
    this.activity.style.setProperty("--most", `${WIDE * grid.columns}px`);
    this.activity.title = picks
      ? tr("Click on a turn to see what was said in it")
      : tr("Who acts when; a stage that is repeated is drawn once");
    this.grid.show({
      drawing: grid,
      title: picks
        ? [tr("Who acts when."), now, `${this.activity.title}.`].filter(Boolean).join(" ")
        : this.activity.title,
      selected: framed,
      picks,
      most: WIDE,
      height: TALL,
    });
  }

  drawDesk() {
    const { desk } = this.data;
    const ways = { fill: (text) => this.move.fill(text), quote: (text) => this.quote(text) };
    this.desk.replaceChildren(...(desk ? drawDesk(desk, ways) : []));
  }

  drawSeat() {
    const { title, open, parts } = drawSeat(this.data);
    this.seat.hidden = false;
    this.seat.open = open || this.seat.open;
    written(this.seat.firstElementChild, title);
    this.seat.lastElementChild.replaceChildren(...parts);
  }

  drawLines() {
    // A move that waits for others' is no position yet, and can be taken back.
    const { tree, undo } = this.data;
    this.lines.hidden = tree.nodes.length < 2 && typeof undo !== "number";
    this.ofLines.show(this.data);
  }

  drawEnd() {
    const { ending, review } = this.data;
    this.end.hidden = !ending;
    this.review.hidden = !review;
    const why = this.words.querySelector(".why");
    const clipped = why !== null && why.scrollHeight > why.clientHeight + 2;
    this.facts.replaceChildren(...(ending ? drawEnding(this.data, this.dark, clipped) : []));
    if (review) this.ofReview.show(this.data);
    // At the end of a game, the ending is scrolled into view.
    if (ending && this.moved) invite(this.end);
    this.moved = !ending;
  }

  quote(text) {
    this.move.insert(text);
  }
}

export const mount = mounting(Table);

// An element's parent, across shadow roots.
function outer(node) {
  return node.parentElement || node.getRootNode().host || null;
}

function scrolled(element) {
  let sum = scrollY;
  for (let node = outer(element); node && node !== document.documentElement; node = outer(node))
    sum += node.scrollTop;
  return sum;
}

// Stores the episodes opened in this browser, so that they can be found after a restart.
function remember(data) {
  if (!data.keep) return;
  const key = "nip-episodes";
  const known = JSON.parse(recall(key) || "[]").filter((each) => each.id !== data.episode);
  known.unshift({ id: data.episode, title: data.keep.title, over: data.ending !== null });
  keep(key, JSON.stringify(known.slice(0, 12)));
}
