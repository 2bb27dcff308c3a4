// Questions of a lesson: guesses, questions with answers to choose from, and numbers found in a
// drawing. `takes` says whether an answer is taken "once", can be changed ("change"), or neither.

import { make, withUnit, written } from "./elements.js";
import { Guess } from "./guess.js";
import { heading } from "./lesson_tables.js";
import { line } from "./prose.js";

const SHOWN = ""; // the answer of a person who asked to be shown the truth

export function predict(lesson, section) {
  const truth = make("div");
  section.updates.push(() => {
    const { part } = section,
      says = part.told || lesson.mine(part) !== undefined;
    if (says && part.truth && !truth.firstChild) truth.append(lesson.prose(part.truth));
  });
  return [heading(section.part), ...asked(lesson, section, lesson.about.words.guess), truth];
}

export function quiz(lesson, section) {
  const { part } = section;
  return [
    heading(part),
    ...asked(lesson, section, lesson.about.words.question, lesson.prose(part.text)),
    verdict(lesson, section),
  ];
}

// A question, and what takes its answer, or else says what it was; `label` names it.
export function asked(lesson, section, label, below = null) {
  const { part } = section,
    body = make("div");
  const update = part.choices ? choice(lesson, section, body) : number(lesson, section, body);
  section.updates.push(update);
  const head =
    part.question &&
    make("p", {}, make("b", { text: `${label}. ` }), line("span", part.question, lesson.cited));
  return [head, below, body];
}

function takesNow({ takes }, mine) {
  return takes === "change" || (takes === "once" && mine === undefined);
}

// -- one of several answers ------------------------------------------------------------------------

function choice(lesson, section, body) {
  let drawn = null;
  return () => {
    const { part } = section,
      mine = lesson.mine(part),
      takes = takesNow(part, mine);
    if (!takes) {
      drawn = null;
      const own = part.takes ? said(lesson, part, mine) : listed(part, mine);
      return body.replaceChildren(...own);
    }
    if (drawn) return drawn.mark(mine);
    drawn = part.kind === "quiz" ? radios(lesson, section) : buttons(lesson, section);
    body.replaceChildren(drawn.root);
    drawn.mark(mine);
  };
}

function buttons(lesson, section) {
  const { part } = section,
    { words } = lesson.about,
    take = (text) => () => lesson.take(section.part, text);
  const made = part.choices.map((text) => make("button", { text, onclick: take(text) }));
  const show = part.skips
    ? [make("button", { class: "quiet", text: words.show, onclick: take(SHOWN) })]
    : [];
  const mark = (mine) =>
    made.forEach((button, place) =>
      button.setAttribute("aria-pressed", String(part.choices[place] === mine)),
    );
  const row = { class: "row", role: "group", "aria-label": words.guess };
  return { root: make("div", row, ...made, ...show), mark };
}

function radios(lesson, section) {
  const { part } = section,
    name = `${lesson.about.slug}-${part.id}`;
  const inputs = part.choices.map((text) =>
    make("input", { type: "radio", name, onchange: () => lesson.take(section.part, text) }),
  );
  const labels = inputs.map((input, place) =>
    make("label", {}, input, line("span", part.choices[place])),
  );
  const mark = (mine) =>
    inputs.forEach((input, place) => {
      input.checked = part.choices[place] === mine;
    });
  return { root: make("fieldset", { "aria-label": part.question }, ...labels), mark };
}

function listed({ choices, lists }, mine) {
  if (!lists) return [];
  const items = choices.map((text) => {
    const own = text === mine;
    return make("li", { class: own ? "mine" : null, text: own ? `${text} (your answer)` : text });
  });
  return [make("ul", { class: "choices" }, ...items)];
}

function said(lesson, part, mine) {
  const { words } = lesson.about;
  if (mine === undefined || mine === SHOWN) return [];
  const value = typeof mine === "number" ? withUnit(mine, part.unit) : mine;
  return [
    make("p", { text: `${words[part.kind === "playable" ? "result" : "guess"]}: ${value}.` }),
  ];
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

// -- a number --------------------------------------------------------------------------------------

function number(lesson, section, body) {
  const { words } = lesson.about,
    { part } = section;
  const found = part.kind === "playable",
    label = found ? words.result : words.guess,
    inside = make("div"),
    says = make("p", { role: "status" });
  const guess = new Guess(inside, (event, value) => {
    if (event === "said") lesson.take(section.part, value);
    else if (lesson.hosted) lesson.send("moved", { place: part.place, value });
  });
  const show = part.skips
    ? make("button", {
        class: "quiet",
        text: words.show,
        onclick: () => lesson.take(section.part, SHOWN),
      })
    : null;
  body.append(inside, ...(show ? [show] : []), says);
  return () => {
    const { low, high, step, unit, takes, draft = null, lists, answer } = section.part;
    const kept = lesson.mine(section.part),
      fits = typeof kept === "number" && kept >= low && kept <= high,
      given = fits ? kept : null,
      open = takesNow(section.part, kept);
    inside.hidden = !open;
    if (show) show.hidden = !open;
    const say =
      given === null ? (found ? words.send : words.say) : words[found ? "change" : "change_guess"];
    if (open) guess.show({ low, high, step, unit, label, say, value: given ?? draft, given });
    const range = !takes && lists ? `A number from ${low} to ${withUnit(high, unit)}` : "";
    const own = said(lesson, section.part, kept)[0]?.textContent ?? range;
    written(says, answer && given !== null ? `${own} ${answer}` : own);
    says.hidden = !says.textContent;
  };
}
