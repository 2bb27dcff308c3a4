// The one panel in which what is selected is explained and changed.

import {
  badge,
  button,
  condition,
  field,
  fill,
  folded,
  listed,
  numbered,
  picker,
  tick,
  typed,
} from "./draw_fields.js";
import { actsOf, blockOf, copiesOf, paste } from "./draw_cell.js";
import { chances, takenForTrue, workedOut } from "./draw_whole.js";
import { make, written } from "./elements.js";

const HINT =
  "Press an empty cell to let a seat write or choose there. Press a name, a turn or a stage to " +
  "change it. With the keyboard: arrows move, Enter adds, Delete removes.";

export class Panel {
  constructor(editor) {
    this.editor = editor;
    this.root = make("section", { class: "panel", "aria-label": "What is selected" });
  }

  get facts() {
    return this.editor.facts;
  }

  draw() {
    const { pick } = this.editor;
    this.root.classList.toggle("open", Boolean(pick));
    const { facts, heads, told } = this.editor.screen;
    const { grid, copied, dark } = this.editor;
    const at = pick && [grid.identity(), grid.anchor];
    const key = [pick, at, copied, facts, heads, told, dark];
    fill(this.root, pick ? key : null, () => {
      if (!pick) return [make("p", { class: "hint", text: HINT })];
      const close = button("×", "close", () => this.editor.choose(null), "Close");
      return [...this.about(pick), close];
    });
  }

  about(pick) {
    const { kind } = pick;
    if (kind === "block") return blockOf(this.editor);
    if (kind === "cell") return this.aboutCell();
    if (kind === "turn") return this.aboutTurn(pick.stage, pick.turn);
    if (kind === "stage") return this.aboutStage(pick.stage);
    if (kind === "seat") return this.aboutSeat(pick.name);
    return this.aboutThing(kind, pick.name);
  }

  // -- a cell -----------------------------------------------------------------------------------

  aboutCell() {
    const { editor } = this,
      cell = editor.grid.cell();
    if (!cell) return [];
    const { who, kind, of, column, stage, turn } = cell,
      { title } = editor.look(who);
    const head = [
      make("h2", {}, badge(editor, who), title),
      make("p", { class: "where", text: editor.heads[column] }),
    ];
    if (!cell.able) {
      const says =
        who === "task" ? "The task says this before play." : `${title} does nothing here.`;
      return [...head, make("p", { class: "hint", text: says })];
    }
    const add = kind === "channel" ? "Let it write" : "Let it choose";
    if (!cell.on)
      return [
        ...head,
        make("p", {
          class: "hint",
          text: `${title} does not ${kind === "channel" ? "write" : "choose"} here.`,
        }),
        make(
          "div",
          { class: "row" },
          button(add, "main", () => editor.toggle(cell)),
          paste(editor),
        ),
      ];
    const acts = this.facts.acts[column][who],
      at = { seat: who, stage, turn };
    const alone = Object.keys(this.facts.acts[column]).length < 2;
    const [act] = acts;
    return [
      ...head,
      make("p", { class: "does", text: editor.told[column] }),
      ...actsOf(editor, cell, acts),
      ...(kind === "channel" ? this.walls(who) : []),
      make(
        "div",
        { class: "row" },
        alone ? null : button("A turn of its own", "", () => editor.do("part_turn", at)),
        button("Remove from this turn", "", () => editor.toggle(cell)),
        act.say.length + act.choose.length > 1
          ? button("Let it do nothing here", "", () => editor.do("clear", at))
          : null,
        editor.isSeat(who) ? button("Copy cells", "", () => editor.copyCells()) : null,
        paste(editor),
        kind === "choice"
          ? button("About this choice", "", () => editor.choose({ kind: "choice", name: of }))
          : null,
      ),
    ];
  }

  // -- turns and stages ----------------------------------------------------------------------------

  aboutTurn(stage, turn) {
    const { editor } = this,
      { facts } = this,
      at = { stage, turn };
    const column = editor.columnOf(stage, turn);
    const exits = facts.exits.filter((one) => one.stage === stage && one.turn === turn);
    const later = facts.stages.slice(stage + 1).map((one) => [one.name, `“${one.title}”`]);
    const actors = Object.keys(facts.acts[column]).filter((name) => editor.isSeat(name));
    const send = (when) => {
      const target = targets.value;
      if (when === "agree!") editor.do("until_agreed", { ...at, target });
      else if (when) editor.do("leave", { ...at, target, when });
    };
    const targets = picker(
      "Afterwards play goes to",
      [["end", "the end"], ...later],
      "end",
      () => {},
    );
    const agree = actors.length ? [["all who act here agree", "agree!"]] : [];
    return [
      make("h2", { text: editor.heads[column] }),
      make("p", { class: "does", text: editor.told[column] }),
      ...exits.map((one) =>
        make(
          "p",
          { class: "exit" },
          make("span", { text: one.words }),
          button(
            "×",
            "small",
            () => editor.do("stay", { ...at, target: one.target }),
            `Not ${one.words}`,
          ),
        ),
      ),
      field("Play goes to", targets),
      condition(editor, "if", "", "…", send, { more: agree }),
      ...copiesOf(editor, stage, turn),
      make(
        "div",
        { class: "row" },
        button("← Earlier", "", () => editor.shift(stage, turn, -1)),
        button("Later →", "", () => editor.shift(stage, turn, 1)),
        button("Add a turn after it", "", () => editor.addTurn(stage, turn + 1)),
        button("Copy it", "", () =>
          editor.do("copy_turns", { ...at, to_stage: stage, to_turn: turn + 1 }),
        ),
        paste(editor),
        turn > 0
          ? button("Play with the turn before", "", () =>
              editor.do("join_turns", { ...at, with_stage: stage, with_turn: turn - 1 }),
            )
          : null,
        turn > 0 ? button("New stage from here", "", () => editor.do("split_stage", at)) : null,
        button("Remove turn", "", () => editor.do("remove_turn", at)),
      ),
    ];
  }

  aboutStage(stage) {
    const { editor } = this,
      one = this.facts.stages[stage];
    const setting = typeof one.times === "string";
    const most = setting
      ? make("b", { text: `${one.times.replaceAll("_", " ")} = ${one.number} times` })
      : numbered("Played", one.number, (times) => editor.repeat(stage, times));
    const last = this.facts.stages.length - 1;
    const edge = (by) => editor.do("stage_edge", { stage, by });
    return [
      make("h2", { text: "Stage" }),
      field(
        "Name",
        typed(
          "Name of the stage",
          one.title,
          (title) => title && editor.call("stage", one.name, title),
        ),
      ),
      field(setting ? "Played" : "Times played", most),
      setting || one.number < 2
        ? null
        : button("Let others change this number", "", () => editor.do("as_setting", { stage })),
      make("p", {
        class: "hint",
        text: "To end it sooner, select its last turn: “Play goes to … if …”.",
      }),
      this.document("stage", one.name),
      make(
        "div",
        { class: "row" },
        button("Add a stage after it", "", () => editor.addStage(stage + 1)),
        stage > 0 ? button("← Earlier", "", () => editor.moveStage(stage, stage - 1)) : null,
        stage < last ? button("Later →", "", () => editor.moveStage(stage, stage + 1)) : null,
        stage < last ? button("Take the next turn in", "", () => edge(1)) : null,
        stage < last && one.turns > 1
          ? button("Give its last turn away", "", () => edge(-1))
          : null,
        stage < last
          ? button("Join with the next", "", () => editor.do("join_stages", { stage }))
          : null,
        last > 0 ? button("Remove stage", "", () => editor.remove("stage", one.name)) : null,
      ),
    ];
  }

  // -- seats ------------------------------------------------------------------------------------

  aboutSeat(name) {
    const { editor } = this,
      seat = this.facts.seats.find((one) => one.name === name);
    const sides = new Map();
    for (const one of this.facts.choices)
      if (!one.grid)
        one.options.forEach(
          (option, n) => option !== "wait" && sides.set(String(option), one.labels[n]),
        );
    if (seat.argues !== "none" && !sides.has(seat.argues)) sides.set(seat.argues, seat.argues);
    const others = this.facts.seats.filter((one) => one.name !== name);
    const place = this.facts.seats.indexOf(seat);
    return [
      make("h2", {}, badge(editor, name), seat.title),
      field(
        "Name",
        typed("Name of the seat", seat.title, (title) => title && editor.call("seat", name, title)),
      ),
      field(
        "Argues for",
        picker("Argues for", [["none", "nothing"], ...sides], seat.argues, (side) =>
          editor.do("argue", { seat: name, side }),
        ),
      ),
      field(
        "Words a message",
        numbered(
          "Words a message",
          seat.words ?? "",
          (most) => editor.do("limit", { seats: [name], of: "words", most, per: "message" }),
          { placeholder: "no limit", max: 100000 },
        ),
      ),
      field(
        "How many",
        numbered(
          "How many of this seat",
          seat.count,
          (count) => editor.do("several", { seat: name, count }),
          { max: 25 },
        ),
      ),
      tick("Others do not learn who writes", seat.anonymous, (on) =>
        editor.do("hide_name", { seat: name, on }),
      ),
      ...this.walls(name),
      this.document("seat", name),
      make(
        "div",
        { class: "row" },
        button("It chooses …", "", () => editor.dialogs.choice(name)),
        button("Hide a passage from it", "", () => editor.do("hidden_passage", { seat: name })),
        place > 0
          ? button("↑ Higher", "", () =>
              editor.do("reorder", { kind: "seat", name, to: place - 1 }),
            )
          : null,
        place + 1 < this.facts.seats.length
          ? button("↓ Lower", "", () => editor.do("reorder", { kind: "seat", name, to: place + 1 }))
          : null,
        others.length ? button("Remove seat", "", () => editor.remove("seat", name)) : null,
      ),
    ];
  }

  walls(name) {
    const { seats } = this.facts;
    const seat = seats.find((one) => one.name === name);
    const others = seats.filter((one) => one !== seat);
    if (!seat || !others.length) return [];
    const lines = others.map((other) => this.wall(seat, other));
    return [make("h3", { text: "Who reads whom" }), ...lines];
  }

  // The wall between two seats: one press closes or opens it.
  wall(one, other) {
    const { editor } = this,
      [a, all] = this.facts.reads[one.name]?.[other.name] ?? [0, 0],
      [b, both] = this.facts.reads[other.name]?.[one.name] ?? [0, 0];
    const total = all + both,
      open = a + b;
    const state = !total ? "none" : open === total ? "open" : open ? "half" : "closed";
    const words = {
      none: "neither writes yet",
      open: "read each other",
      half:
        a < all && b < both
          ? "read some of each other"
          : `${a < all ? one.title : other.title} reads less`,
      closed: "cannot read each other",
    }[state];
    const label = `${one.title} and ${other.title}: ${words}. ${state === "closed" ? "Take the wall away" : "Put a wall between them"}`;
    const send = () =>
      editor.do("wall", { one: one.name, other: other.name, closed: state !== "closed" });
    const made = button("", `wall ${state}`, send, label);
    made.disabled = state === "none";
    made.append(badge(editor, one.name), make("i"), badge(editor, other.name));
    return make("div", { class: "between" }, made, make("span", { text: words }));
  }

  // -- channels, parts, choices, values ----------------------------------------------------------------

  aboutThing(kind, name) {
    const { editor } = this,
      thing = editor.thing(kind, name);
    const titles = {
      channel: "Channel",
      part: "Part of the task",
      choice: "Choice",
      value: "Value",
    };
    const own =
      kind === "choice"
        ? this.aboutOptions(thing)
        : kind === "value"
          ? workedOut(editor, thing)
          : [];
    const seen = { channel: "Who reads it, and from when", part: "Who sees it, and from when" };
    const by = thing.by && editor.isSeat(thing.by);
    return [
      make("h2", {}, kind === "choice" ? badge(editor, thing.by) : null, titles[kind]),
      field(
        "Name",
        typed(
          `Name of the ${kind}`,
          thing.title,
          (title) => title && editor.call(kind, name, title),
        ),
      ),
      ...own,
      kind === "part"
        ? tick("Quotes from it are checked", thing.quotable, (on) =>
            editor.do("quotes", { part: name, on }),
          )
        : null,
      make("h3", { text: seen[kind] ?? "Who sees it, and from when" }),
      ...this.facts.seats
        .filter((one) => one.name !== thing.by)
        .map((seat) => this.sees(kind, thing, seat)),
      this.document(kind, name),
      make(
        "div",
        { class: "row" },
        by ? button("Choose it in the selected turn", "", () => this.chooseHere(name)) : null,
        button(`Remove ${kind}`, "", () => editor.remove(kind, name)),
      ),
    ];
  }

  // The name that conditions and files use.
  document(kind, name) {
    const send = (text) => text && text !== name && this.editor.rename(kind, name, text);
    return folded(
      this.editor,
      "names",
      "Its name in the text",
      typed("Its name in the text", name, send, { class: "code", spellcheck: "false" }),
    );
  }

  chooseHere(choice) {
    const { facts } = this,
      { column } = this.editor.grid.cursor;
    const last = facts.columns.findLast((one) => one);
    const [stage, turn] = facts.columns[Math.max(0, column)] ?? last;
    this.editor.do("choose", { choice, stage, turn });
  }

  aboutOptions(thing) {
    const { editor } = this;
    const by = editor.look(thing.by).title;
    const whose = make("p", {
      class: "where",
      text: editor.isSeat(thing.by)
        ? `${by} chooses.`
        : thing.by === "task"
          ? "The task says it."
          : "Chance draws it.",
    });
    if (thing.grid) return [whose, make("p", { class: "does", text: `Options: ${thing.words}` })];
    const send = (text) => {
      const options = text
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean);
      if (options.length) editor.do("set_options", { choice: thing.name, options });
    };
    const limited = editor.isSeat(thing.by);
    const limits = this.facts.limits.filter((one) => one.of === thing.name);
    const most = picker(
      "Limit an option",
      [["", "Limit an option …"], ...thing.options.map((option, n) => [option, thing.labels[n]])],
      "",
      (option) => {
        if (option)
          editor.do("limit", { seats: [thing.by], of: thing.name, option, most: 1, per: "game" });
      },
    );
    return [
      whose,
      field("Options", typed("Options, with commas between them", thing.options.join(", "), send)),
      ...(limited
        ? limits.map((one) =>
            field(
              `“${one.option ?? "all"}” at most`,
              numbered(
                `${one.option} at most`,
                one.most,
                (count) =>
                  editor.do("limit", {
                    seats: [thing.by],
                    of: thing.name,
                    option: one.option ?? null,
                    most: count,
                    per: one.per ?? "game",
                  }),
                { min: 0 },
              ),
            ),
          )
        : []),
      limited ? most : null,
      limited ? takenForTrue(editor, thing) : null,
      thing.by === "chance" ? chances(editor, thing) : null,
    ];
  }

  // From when a seat sees something: a slider over the edges of stages.
  sees(kind, thing, seat) {
    const { editor } = this,
      stages = this.facts.stages.slice(1);
    const times = [
      ["start", "from the start"],
      ...stages.map((one) => [one.name, `from “${one.title}”`]),
      ["end", "after the end"],
      [null, "never"],
    ];
    const now = thing.seen[seat.name] ?? null;
    const place = times.findIndex(([since]) => since === now);
    // Such as "end of repetition", which is set in the text.
    const words = place < 0 ? now : times[place][1];
    const bar = make("input", {
      type: "range",
      min: 0,
      max: times.length - 1,
      value: Math.max(0, place),
      "aria-label": `${seat.title} sees it`,
      "aria-valuetext": words,
    });
    const shade = () =>
      bar.style.setProperty("--at", `${(100 * Number(bar.value)) / (times.length - 1)}%`);
    bar.style.setProperty("--seat", editor.look(seat.name).fill);
    shade();
    const says = make("output", { text: words });
    bar.addEventListener("input", () => {
      shade();
      written(says, times[bar.value][1]);
      bar.setAttribute("aria-valuetext", times[bar.value][1]);
    });
    bar.addEventListener("change", () =>
      editor.do("see", { kind, name: thing.name, seat: seat.name, since: times[bar.value][0] }),
    );
    return make("label", { class: "sees" }, badge(editor, seat.name), bar, says);
  }
}

// What is not finished is one quiet sentence for each kind.
export function unfinished(editor, remarks) {
  const says = {
    "seat-never-acts": ["does nothing yet", "do nothing yet"],
    "channel-unused": ["is not written on yet", "are not written on yet"],
    "choice-never-made": ["is not chosen in any turn yet", "are not chosen in any turn yet"],
    "part-unseen": ["is seen by nobody yet", "are seen by nobody yet"],
  };
  return Object.entries(says).flatMap(([code, words]) => {
    const own = remarks.filter((one) => one.code === code && one.about.kind);
    if (!own.length) return [];
    const names = own.map(({ about: { kind, name } }) =>
      kind === "seat" ? editor.look(name).title : `“${editor.thing(kind, name)?.title ?? name}”`,
    );
    const fixes = own.length === 1 ? own[0].fixes : [];
    return [{ text: `${listed(names)} ${words[own.length > 1 ? 1 : 0]}.`, fixes }];
  });
}
