// Games and experiments of a lesson. Python computes them: `send` asks, and the part's `now` answers.

import { mount as mountChart } from "./chart.js";
import { Controls } from "./controls.js";
import { make, written } from "./elements.js";
import { pictures } from "./graphs.js";
import { heading, saveTable, tableOf } from "./lesson_tables.js";
import { tr } from "./words.js";

export function game(lesson, section) {
  const { part } = section,
    { place } = part;
  const board = make("div", { class: "board", "aria-live": "polite" }),
    sums = make("p", { class: "quiet" });
  const ask = (more) => lesson.send("game", { place, ...more });
  // A game that was in progress when the page was left continues.
  const name = `game-${place}`,
    goesOn = !lesson.hosted && part.roles.some(([role]) => role === lesson.done[name]);
  const begin = (role) => {
    if (!lesson.hosted) lesson.note(name, role);
    ask({ role });
  };
  // The browser keeps it for the site.
  const side = () => lesson.done[name] ?? section.part.role;
  const sides = part.roles.map(([role, label]) =>
    make("button", { text: label, "data-role": role, onclick: () => begin(role) }),
  );
  const row = make("div", { class: "row", role: "group", "aria-label": tr("Your side") }, ...sides);
  if (goesOn) {
    ask({ resume: true, role: side() });
    board.append(make("p", { class: "quiet", text: tr("Your game is coming.") }));
  } else if (part.waits)
    board.append(make("button", { class: "main", text: tr("Play"), onclick: () => begin(side()) }));
  let before;
  section.updates.push(() => {
    const { scene, sums: counted = "", buttons = [] } = section.part;
    for (const button of sides)
      button.setAttribute("aria-pressed", String(button.dataset.role === side()));
    written(sums, counted);
    const mark = JSON.stringify([scene, buttons]);
    if (mark === before) return;
    before = mark;
    row.hidden = !scene && !part.waits;
    if (!scene) return part.waits || board.replaceChildren();
    const act = (choice) => ask({ choice, question: scene.question });
    const again = scene.outcome && section.part.asks !== "pairs";
    refocused(board, [
      ...scene.said.map(([who, text]) =>
        make("p", { class: "said" }, make("b", { text: `${who}: ` }), make("span", { text })),
      ),
      pictures(scene.drawings, act),
      make("p", { text: scene.prompt }),
      make(
        "div",
        { class: "row" },
        ...scene.choices.map(([choice, text]) =>
          make("button", { text, onclick: () => act(choice) }),
        ),
        ...(again
          ? [
              make("button", {
                class: "main",
                text: tr("Play again"),
                onclick: () => begin(side()),
              }),
            ]
          : []),
        ...buttons.map(([change, text]) =>
          make("button", {
            class: change === "back" ? "main" : "quiet",
            text,
            onclick: () => lesson.send("seat", { place, change }),
          }),
        ),
      ),
    ]);
  });
  return [lesson.prose(part.text), heading(part), sides.length > 1 && row, board, sums];
}

// Replaces what a box holds. If the focus was in it, the button of the same name gets it, or the
// first one.
function refocused(box, children) {
  const tree = /** @type {ShadowRoot} */ (box.getRootNode()),
    had = tree.activeElement,
    inside = had && box.contains(had),
    name = inside && nameOf(had);
  box.replaceChildren(...children);
  if (!inside) return;
  const others = [...box.querySelectorAll("button, [tabindex='0']")];
  const next = /** @type {HTMLElement | undefined} */ (
    others.find((one) => nameOf(one) === name) ?? others[0]
  );
  next?.focus();
}

const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent;

export function experiment(lesson, section) {
  const { place, knobs, name, text } = section.part,
    kept = `knobs-${place}`;
  const says = make("p", { class: "says", role: "status" }),
    drawing = make("div"),
    settings = make("div"),
    below = make("details", {}, make("summary", { text: tr("As a table") }));
  const chart = mountChart(drawing, () => {});
  const ask = () => lesson.send("experiment", { place, knobs: lesson.done[kept] });
  const controls = new Controls(settings, (knob, value) => {
    lesson.note(kept, { ...lesson.done[kept], [knob]: value });
    ask();
  });
  section.ends.push(
    () => chart.destroy(),
    () => controls.destroy(),
  );
  if (!lesson.hosted && lesson.done[kept]) ask();
  let before;
  section.updates.push(() => {
    const { result, settings: set } = section.part;
    controls.show(knobs.map((knob) => ({ ...knob, value: set[knob.name] })));
    if (result === before) return;
    before = result;
    written(says, result.sentence);
    chart.show(result.chart);
    const save = () => saveTable(`${name}.csv`, result.columns, result.rows);
    below.replaceChildren(
      below.firstChild,
      tableOf(result.columns, result.rows),
      make("button", { text: tr("Data (CSV)"), onclick: save }),
    );
  });
  return [lesson.prose(text), heading(section.part), settings, says, drawing, below];
}
