// All tables of a room: the schedule of each with its progress, and the seats it waits for.

import { make, mounting, svg, tableHead, written } from "./elements.js";
import { tr, trn } from "./words.js";

const TICK = 1000; // ms
const LANE = 6,
  GAP = 2,
  BAND = 4; // the size of a schedule, in its own units

class Board {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.cards = new Map();
    this.sums = make("div", {
      class: "sums",
      role: "group",
      "aria-label": tr("Show tables that are"),
    });
    this.grid = make("div", { class: "cards", role: "group", "aria-label": tr("Tables") });
    this.rows = make("tbody");
    this.table = make(
      "details",
      { class: "same" },
      make("summary", { text: tr("The same as a table") }),
      make(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": tr("Tables, as a table") },
        make(
          "table",
          {},
          tableHead([
            tr("Table"),
            tr("Turn"),
            tr("Now"),
            tr("Seats"),
            tr("Condition"),
            tr("Time left"),
          ]),
          this.rows,
        ),
      ),
    );
    this.grid.addEventListener("keydown", (event) => this.walk(event));
    root.replaceChildren(make("div", { class: "board" }, this.sums, this.grid, this.table));
    this.timer = setInterval(() => this.tick(), TICK);
  }

  destroy() {
    clearInterval(this.timer);
  }

  // `now` is the server's clock, to which the deadlines refer.
  show(data) {
    this.data = data;
    this.ahead = data.now ? Date.parse(data.now) - Date.now() : 0;
    const there = new Set(data.tables.map(({ number }) => number));
    for (const [number, card] of this.cards) {
      if (!there.has(number)) {
        card.root.remove();
        this.cards.delete(number);
      }
    }
    // On a projector the cards fill the width; otherwise as many as fit are side by side.
    this.root.firstChild.classList.toggle("still", data.still);
    this.grid.style.setProperty("--across", String(acrossOf(data.tables.length)));
    this.grid.dataset.size =
      data.tables.length <= 6 ? "large" : data.tables.length <= 14 ? "medium" : "small";
    for (const table of data.tables) this.card(table);
    this.rows.replaceChildren(...data.tables.map((table) => this.row(table)));
    this.sum();
    this.tick();
  }

  card(table) {
    let card = this.cards.get(table.number);
    if (!card) {
      // On a projector nothing can be chosen.
      card = {
        root: this.data.still
          ? make("div", { class: "card", role: "group" })
          : make("button", {
              type: "button",
              class: "card",
              onclick: () => this.send("table", table.number),
            }),
      };
      this.cards.set(table.number, card);
      this.grid.append(card.root);
    }
    const kind = this.data.kinds[table.kind];
    const state = stateOf(table);
    card.root.dataset.state = state;
    if (!this.data.still)
      card.root.setAttribute("aria-pressed", `${this.data.selected === table.number}`);
    card.root.setAttribute(
      "aria-label",
      tr("Table {sign}. {state}", { sign: table.sign.text, state: said(table, kind) }),
    );
    card.left = make("time", { class: "left" });
    // Many tables on a projector have no room for more than their numbers.
    const brief = this.data.still && this.grid.dataset.size === "small";
    const title = make(
      "span",
      { class: "title" },
      make("b", {
        class: "sign",
        text: brief ? table.number : table.sign.text,
        style: `background: ${table.sign.fill}; color: ${table.sign.ink}`,
      }),
      make("span", { class: "kind", text: kind.mark }),
    );
    card.root.replaceChildren(
      make(
        "span",
        { class: "top" },
        title,
        make("span", { class: "round", text: place(table, kind) }),
      ),
      schedule(kind, table),
      seats(kind, table),
      make(
        "span",
        { class: "foot" },
        make("span", { class: "says", text: sentence(table, kind) }),
        card.left,
      ),
    );
  }

  row(table) {
    const kind = this.data.kinds[table.kind];
    const seated = table.seats
      .map((seat) => `${kind.seats[seat.agent].name}: ${sits(seat)}`)
      .join("; ");
    return make(
      "tr",
      {},
      make("th", { scope: "row", text: table.sign.text }),
      ...[place(table, kind), sentence(table, kind), seated, kind.mark].map((text) =>
        make("td", { text }),
      ),
      make("td", { class: "left", "data-table": table.number }),
    );
  }

  // The number of tables in each state; a click filters by a state, and another click shows all.
  sum() {
    const found = new Map();
    for (const table of this.data.tables)
      found.set(stateOf(table), (found.get(stateOf(table)) || 0) + 1);
    if (!found.has(this.only)) this.only = null;
    const focused = this.sums.querySelector(":focus")?.dataset.state;
    this.sums.replaceChildren(
      ...Object.entries(STATES)
        .filter(([state]) => found.has(state))
        .map(([state, words]) =>
          make(
            "button",
            {
              type: "button",
              "data-state": state,
              "aria-pressed": `${this.only === state}`,
              onclick: () => this.keep(state),
            },
            make("span", { class: "mark", "aria-hidden": "true" }),
            make("b", { text: found.get(state) }),
            ` ${words}`,
          ),
        ),
    );
    if (focused) this.sums.querySelector(`[data-state="${focused}"]`)?.focus();
    for (const table of this.data.tables)
      this.cards.get(table.number).root.hidden = this.only !== null && stateOf(table) !== this.only;
  }

  keep(state) {
    this.only = this.only === state ? null : state;
    this.sum();
  }

  tick() {
    if (!this.data) return;
    for (const table of this.data.tables) {
      const left = leftOf(table, Date.now() + this.ahead);
      const here = this.cards.get(table.number).left;
      written(here, left.text);
      here.classList.toggle("soon", left.soon);
      written(this.rows.querySelector(`[data-table="${table.number}"]`), left.text);
    }
  }

  // Arrow keys move between tables by their position.
  walk(event) {
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.across(),
      ArrowUp: -this.across(),
    }[event.key];
    if (!step) return;
    const shown = [...this.grid.children].filter((card) => !card.hidden);
    const to = shown[shown.indexOf(event.target.closest(".card")) + step];
    if (!to) return;
    event.preventDefault();
    to.focus();
  }

  across() {
    return getComputedStyle(this.grid).gridTemplateColumns.split(" ").length;
  }
}

export const mount = mounting(Board);

// -- words -----------------------------------------------------------------------------------

// States that need the facilitator come first.
const STATES = {
  lost: tr("lost somebody"),
  empty: tr("miss a person"),
  waiting: tr("not begun"),
  running: tr("playing"),
  paused: tr("paused"),
  over: tr("over"),
};

function stateOf(table) {
  if (table.phase !== "running") return table.phase;
  if (table.seats.some((seat) => seat.state === "lost")) return "lost";
  return table.seats.some((seat) => seat.state === "empty") ? "empty" : "running";
}

// The present round and the number of rounds; at the end, the number played.
function place({ phase, round }, { rounds }) {
  return phase === "waiting"
    ? trn("{n} turn", "{n} turns", rounds)
    : `${Math.min(phase === "over" ? round : round + 1, rounds)}/${rounds}`;
}

function sits({ who, state }) {
  const how =
    {
      asked: tr("to move"),
      moved: tr("has moved"),
      lost: tr("connection lost"),
      bot: tr("plays by itself"),
      empty: tr("nobody sits here"),
      waits: "",
    }[state] || "";
  return [who, how].filter(Boolean).join(", ") || tr("waits");
}

// The seats that a table waits for, in a few words.
function sentence(table, kind) {
  if (table.says) return table.says;
  if (table.phase === "waiting") return tr("Not begun");
  if (table.phase === "paused") return tr("Paused");
  if (table.phase === "over")
    return table.result ? `${table.result.sign} ${table.result.word}` : tr("Over");
  const named = (state) =>
    table.seats
      .filter((seat) => seat.state === state)
      .map((seat) => seat.who || kind.seats[seat.agent].name);
  if (named("lost").length) return tr("Lost: {who}", { who: named("lost").join(", ") });
  if (named("empty").length) return tr("Nobody is {seats}", { seats: named("empty").join(", ") });
  return named("asked").length
    ? tr("Waits for {who}", { who: named("asked").join(", ") })
    : tr("Goes on");
}

function said(table, kind) {
  const seated = table.seats
    .map((seat) => `${kind.seats[seat.agent].name}, ${sits(seat)}`)
    .join("; ");
  const turn =
    table.phase === "waiting"
      ? place(table, kind)
      : tr("turn {place}", { place: place(table, kind) });
  return `${kind.mark ? `${kind.mark}, ` : ""}${turn}. ${sentence(table, kind)}. ${seated}.`;
}

function leftOf({ ends, phase }, now) {
  if (!ends || phase !== "running") return { text: "", soon: false };
  const left = Math.max(0, Math.round((Date.parse(ends) - now) / 1000));
  return { text: `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, "0")}`, soon: left <= 10 };
}

// The number of columns on a projector with which all cards fit.
function acrossOf(tables) {
  const [, across] = [
    [1, 1],
    [4, 2],
    [6, 3],
    [12, 4],
    [15, 5],
    [30, 6],
    [42, 7],
    [64, 8],
    [100, 10],
  ].find(([most]) => tables <= most) || [0, 15];
  return across;
}

// -- pictures --------------------------------------------------------------------------------

// A lane for each seat on each channel, a column for each round. Messages sent are filled (by a
// bot, half), the present ones are blinking frames, and future ones are pale.
function schedule(kind, table) {
  const { lanes, rounds } = kind;
  const cells = new Map();
  const asked = new Set(table.seats.filter((seat) => seat.asked).map(({ agent }) => agent));
  let y = 0,
    band = 0;
  for (const lane of lanes) {
    if (lane.band !== band) y += BAND;
    band = lane.band;
    lane.speaks.forEach((speaks, round) => {
      const how = speaks ? lit(table, lane.seat, round, asked.has(lane.seat)) : "lane";
      const key = `${how} ${speaks ? kind.seats[lane.seat].colour : ""}`;
      cells.set(key, `${cells.get(key) || ""}M${round * 10 + 0.6} ${y}h8.8v${LANE}h-8.8z`);
    });
    y += LANE + GAP;
  }
  const paths = [...cells].map(([kind, d]) => svg("path", { class: kind.trim(), d }));
  return svg(
    "svg",
    {
      class: "schedule",
      viewBox: `0 0 ${rounds * 10} ${y - GAP}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
      style: `--lanes: ${y - GAP}`,
    },
    ...paths,
  );
}

function lit(table, seat, round, asked) {
  if ((table.spoken[seat] || []).includes(round))
    return (table.bots[seat] || []).includes(round) ? "bot" : "done";
  return table.phase === "running" && round === table.round && asked ? "asked" : "later";
}

// The seats' badges, with a sign for the state of each.
const SIGNS = { asked: "…", moved: "✓", lost: "!", bot: "⚙", empty: "○", waits: "" };

function seats(kind, table) {
  return make(
    "span",
    { class: "seats" },
    ...table.seats.map((seat) => {
      const { name, label, colour } = kind.seats[seat.agent];
      return make(
        "span",
        { class: `seat ${seat.state}`, title: `${name}: ${sits(seat)}` },
        make("span", { class: `badge ${colour}`, text: label }),
        make("span", { class: "sign", text: SIGNS[seat.state] }),
        make("span", { class: "who", text: seat.who || "" }),
      );
    }),
  );
}
