// Questions of a lesson: guesses, questions with answers to choose from, and numbers found in a
// drawing. `takes` says whether an answer is taken "once", can be changed ("change"), or neither.

import { make, written } from "./elements.js";
import { heading } from "./lesson_tables.js";
import { line } from "./prose.js";
import { unsetSlider } from "./unset.js";
import { decimal, tr, withUnit } from "./words.js";

const SHOWN = ""; // the answer of a person who asked to be shown the truth
export const WORDS = {
  guess: tr("Your guess"),
  result: tr("Your result"),
  said: tr("You said"),
};
const OWN = { playable: "result", say: "said" };
const FIRST = tr("First choose a number on the line");

export function predict(lesson, section) {
  const truth = make("div");
  section.updates.push(() => {
    const { part } = section,
      answered = part.told || lesson.mine(part) !== undefined;
    if (answered && part.truth && !truth.firstChild) truth.append(lesson.prose(part.truth));
    // The question before a lesson makes room for it.
    if (!part.transfer || part.asks || lesson.mine(part) === undefined) return;
    section.root.hidden = lesson.mine(part) === SHOWN;
    for (const child of section.root.children) child.hidden ||= !child.matches("[role=status]");
  });
  const { transfer } = section.part;
  return [
    heading(section.part),
    ...questionWithAnswer(lesson, section, transfer ? tr("Before you begin") : WORDS.guess),
    truth,
  ];
}

export function quiz(lesson, section) {
  const { part } = section,
    label = part.transfer ? tr("Once more") : tr("Question"),
    below = lesson.prose(part.text);
  return [
    heading(part),
    ...questionWithAnswer(lesson, section, label, below),
    verdict(lesson, section),
    part.transfer ? gained(lesson, section) : null,
  ];
}

// A poll, or words that people write.
export function say(lesson, section) {
  return [heading(section.part), ...questionWithAnswer(lesson, section, tr("Question"))];
}

// Whether the first question was answered rightly, and now the last one.
function gained(lesson, section) {
  const shown = make("p", { role: "status", hidden: true });
  section.updates.push(() => {
    const { gain, answers = [] } = section.part,
      first = gain && lesson.mine({ kind: "predict", place: gain.place }),
      now = answers.find(({ text }) => text === lesson.mine(section.part));
    shown.hidden = !first || !now;
    if (shown.hidden) return;
    const sign = (right) => (right ? `✔ ${tr("right")}` : `✖ ${tr("not right")}`);
    const said = tr("{question} Before: {first}. Now: {last}.", {
      question: tr("Did it teach you something?"),
      first: sign(first === gain.right),
      last: sign(now.right),
    });
    const drawn = tr("Chance drew which of the two questions came first.");
    written(shown, gain.drawn ? `${said} ${drawn}` : said);
  });
  return shown;
}

// A question, and what takes its answer, or else says what it was; `label` names it.
export function questionWithAnswer(lesson, section, label, below = null) {
  const { question, choices, skips } = section.part,
    body = make("div"),
    says = make("p", { role: "status" });
  const head =
    question &&
    make("p", {}, make("b", { text: `${label}. ` }), line("span", question, lesson.cited));
  const show = () => lesson.take(section.part, SHOWN);
  const skip =
    skips &&
    make("button", {
      class: "quiet",
      text: section.part.transfer ? tr("Skip this") : tr("Show me"),
      onclick: show,
    });
  const takesWords = section.part.kind === "say" ? wordsOf : number;
  const update = (choices ? choice : takesWords)(lesson, section, body);
  section.updates.push(() => {
    const { part } = section,
      { takes, answer } = part,
      mine = lesson.mine(part),
      open = takes === "change" || (takes === "once" && mine === undefined);
    if (skip) skip.hidden = !open;
    const other = update(open, mine);
    const words = WORDS[OWN[part.kind] ?? "guess"];
    const number = typeof mine === "number" ? withUnit(mine, part.unit) : mine;
    const end = part.kind === "say" ? "" : ".";
    const own = mine === undefined || mine === SHOWN ? other : `${words}: ${number}${end}`;
    // Answers to choose from show by themselves which one was chosen.
    const plain = choices && (open || !takes || part.kind === "quiz") ? "" : own;
    written(says, answer && typeof mine === "number" ? `${plain} ${answer}` : plain);
    says.hidden = !says.textContent;
  });
  return [head, below, body, skip, says];
}

function choice(lesson, section, body) {
  const { choices, kind, question } = section.part;
  const buttons = choices.map((text) =>
    make("button", { text, onclick: () => lesson.take(section.part, text) }),
  );
  const row = make(
    "div",
    { class: kind === "quiz" ? "answers" : "row", role: "group", "aria-label": question },
    ...buttons,
  );
  const list = make("ul", { class: "choices" }, ...choices.map((text) => make("li", { text })));
  body.append(row, list);
  return (open, mine) => {
    row.hidden = !open;
    list.hidden = open || !section.part.lists;
    choices.forEach((text, place) => {
      const own = text === mine;
      buttons[place].setAttribute("aria-pressed", String(own));
      list.children[place].classList.toggle("mine", own);
      written(list.children[place], own ? tr("{text} (your answer)", { text }) : text);
    });
    return "";
  };
}

function wordsOf(lesson, section, body) {
  const { most, question } = section.part;
  const field = make("textarea", { maxlength: most, rows: 3, "aria-label": question }),
    button = make("button", { class: "main", text: tr("Send") });
  const send = () => {
    const text = field.value.trim().replace(/\s+/g, " ");
    if (text) lesson.take(section.part, text);
  };
  button.addEventListener("click", send);
  const note = make("p", {
    class: "quiet",
    text: tr("A class sees this only if its facilitator lets it through, without your name."),
    hidden: !section.part.asks,
  });
  const row = make("div", { class: "words" }, field, button, note);
  body.append(row);
  let before;
  return (open, mine) => {
    row.hidden = !open;
    // What was sent stands in the field to be changed, unless the person is typing.
    if (mine !== before && typeof mine === "string" && !field.value) field.value = mine;
    before = mine;
    return "";
  };
}

function number(lesson, section, body) {
  const { kind, place, low, high, step, unit } = section.part;
  const found = kind === "playable";
  let value = null,
    slider = null,
    answer = null; // the one that counts now
  const shown = make("output"),
    button = make("button", { class: "main", onclick: () => lesson.take(section.part, value) }),
    row = make("div", { class: "guess" }, shown, button);
  body.append(row);
  const write = () => {
    const say = found ? tr("Send") : tr("Guess"),
      change = found ? tr("Change my result") : tr("Change my guess");
    written(shown, value === null ? tr("not chosen yet") : withUnit(value, unit));
    written(button, value === null ? FIRST : answer === null ? say : change);
    button.disabled = value === null;
    button.hidden = value !== null && value === answer;
  };
  return (open, mine) => {
    answer = typeof mine === "number" && mine >= low && mine <= high ? mine : null;
    row.hidden = !open;
    if (open && !slider) {
      value = answer ?? section.part.draft ?? null;
      const label = found ? WORDS.result : WORDS.guess;
      slider = unsetSlider({ min: low, max: high, step, value, "aria-label": label }, (chosen) => {
        value = chosen;
        write();
      });
      // A room keeps a number that was not sent yet.
      slider.addEventListener("change", () => {
        if (section.part.asks) lesson.send("moved", { place, value });
      });
      row.prepend(slider);
    }
    write();
    const { takes, lists } = section.part;
    return !takes && lists
      ? tr("A number from {low} to {high}", { low: decimal(low), high: withUnit(high, unit) })
      : "";
  };
}

function verdict(lesson, section) {
  const shown = make("div", { role: "status" });
  let before;
  section.updates.push(() => {
    const { answers: all = [], told } = section.part,
      mine = lesson.mine(section.part);
    const answers = all.filter(({ text, right }) => text === mine || (told && right));
    const mark = JSON.stringify(answers);
    if (mark === before) return;
    before = mark;
    const lines = answers.map(({ text, right, verdict, why }) =>
      make(
        "p",
        { class: right ? "right" : "wrong" },
        make("b", { text: `${right ? "✔" : "✖"} ${verdict} ` }),
        line("span", told ? `${text}. ${why}` : why),
      ),
    );
    shown.replaceChildren(...lines);
  });
  return shown;
}
