// What a seat does in a turn, in each of its cases, and what copies between cells and channels.

import {
  button,
  condition,
  counted,
  field,
  folded,
  numbered,
  picker,
  tick,
} from "./draw_fields.js";
import { make } from "./elements.js";

// The controls of a cell in which a seat acts.
export function actsOf(editor, { who, kind, of, stage, turn }, acts) {
  const { facts } = editor,
    at = { seat: who, stage, turn };
  const several = acts.length > 1;
  const controls = acts.flatMap((act, number) => [
    several ? heading(editor, at, number) : null,
    ...caseOf(editor, at, act, number, kind === "choice" ? of : null),
  ]);
  const seat = editor.thing("seat", who);
  const inTurn = facts.one_by_one.some((one) => one.join() === [stage, turn, who].join());
  return [
    ...controls,
    acts[0].say.length === 1 && editor.isSeat(who)
      ? tick("It may leave its message out", acts[0].optional, (on) =>
          editor.do("may_skip", { ...at, on }),
        )
      : null,
    seat && seat.count > 1
      ? tick("They act one after the other", inTurn, (on) => editor.do("one_by_one", { ...at, on }))
      : null,
    folded(
      editor,
      "cell",
      "More",
      ...rare(editor, at, acts[0]),
      inTurn
        ? null
        : condition(editor, "Otherwise if", "", "…", (when) =>
            when ? editor.do("another_case", { ...at, when }) : null,
          ),
    ),
  ];
}

function heading(editor, at, number) {
  return make(
    "h3",
    { class: "case" },
    `Case ${number + 1}`,
    button(
      "×",
      "small",
      () => editor.do("remove_case", { ...at, case: number }),
      `Remove case ${number + 1}`,
    ),
  );
}

// What is asked often: when it acts, when it is silent, and which options are open.
function caseOf(editor, at, act, number, choice) {
  const own = { ...at, case: number },
    label = number ? ` (case ${number + 1})` : "";
  const thing = choice && editor.thing("choice", choice);
  return [
    condition(editor, `Only if${label}`, act.when, "always", (when) =>
      editor.do("only_if", { ...own, when }),
    ),
    act.say.length && act.choose.length && editor.isSeat(at.seat)
      ? condition(
          editor,
          `Writes nothing if${label}`,
          act.silent,
          "never",
          (when) => editor.do("silent_if", { ...own, when }),
          { among: act.choose },
        )
      : null,
    thing && !thing.grid && thing.count > 1 && act.choose.includes(choice)
      ? open(editor, own, act, thing)
      : null,
  ];
}

function open(editor, { seat, ...at }, act, thing) {
  const now = act.open[thing.name] ?? thing.options;
  const send = (option, on) => {
    const options = thing.options.filter((one) => (one === option ? on : now.includes(one)));
    if (!options.length) return editor.say("One option must stay open.");
    const all = options.length === thing.count;
    return editor.do("open_options", { choice: thing.name, ...at, options: all ? "all" : options });
  };
  return make(
    "div",
    { class: "field" },
    make("span", { text: "Open to it" }),
    make(
      "span",
      { class: "ticks" },
      ...thing.options.map((option, n) =>
        tick(thing.labels[n], now.includes(option), (on) => send(option, on)),
      ),
    ),
  );
}

// What is rare: sums of numbers, and how a model is asked.
function rare(editor, at, act) {
  const numbers = act.choose.filter((name) => editor.thing("choice", name)?.grid);
  const parts = act.say.length + act.choose.length;
  return [
    numbers.length > 1
      ? field(
          "Add up to",
          numbered(
            "The numbers it chooses add up to",
            act.total ?? "",
            (total) => editor.do("add_up", { ...at, total }),
            { placeholder: "anything", min: 0, max: 1000000 },
          ),
        )
      : null,
    parts > 1 && editor.isSeat(at.seat)
      ? tick("A model is asked for each answer by itself", act.apart, (on) =>
          editor.do("ask_apart", { ...at, on }),
        )
      : null,
  ];
}

// Messages that appear on another channel after a turn.
export function copiesOf(editor, stage, turn) {
  const { channels, copies } = editor.facts,
    at = { stage, turn };
  if (channels.length < 2) return [];
  const title = (name) => editor.thing("channel", name)?.title ?? name;
  const now = copies.filter((one) => one.place.join() === `${stage},${turn}`);
  const names = channels.map((one) => [one.name, one.title]);
  const from = picker("Copy from", names, names[0][0], () => {});
  const to = picker("Copy to", names, names[1][0], () => {});
  return [
    ...now.map(({ channel, source }) =>
      make(
        "p",
        { class: "exit" },
        make("span", { text: `“${title(channel)}” gets the last message of “${title(source)}”.` }),
        button(
          "×",
          "small",
          () => editor.do("copy", { ...at, channel, source: "none" }),
          `Copy nothing to ${title(channel)}`,
        ),
      ),
    ),
    folded(
      editor,
      "copies",
      "Copy a message to another channel",
      field("From", from),
      field("To", to),
      button("Copy its last message after this turn", "", () =>
        from.value === to.value
          ? editor.say("Choose two channels.")
          : editor.do("copy", { ...at, channel: to.value, source: from.value }),
      ),
    ),
  ];
}

// A block of cells: what some seats do in some turns of one stage, to be copied elsewhere.
export function blockOf(editor) {
  const { grid } = editor,
    { seats, count } = grid.block();
  const names = seats.map((name) => editor.look(name).title);
  return [
    make("h2", { text: "Several cells" }),
    make("p", { class: "where", text: `${counted(count, "turn")} of ${names.join(", ")}` }),
    make("p", {
      class: "hint",
      text: "Copy them, go to a turn, and paste them there. Shift and a press, or Shift and arrows, take more in.",
    }),
    make(
      "div",
      { class: "row" },
      button("Copy cells", "main", () => editor.copyCells()),
      paste(editor),
    ),
  ];
}

export function paste(editor) {
  return editor.copied ? button("Paste cells here", "", () => editor.pasteCells()) : null;
}
