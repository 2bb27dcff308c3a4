// A lesson for one person: texts, guesses, questions, games, experiments and playables. `send` asks
// for what needs Python; progress is stored in the browser.

import { mount as mountChart } from "./chart.js";
import { make, tableHead, withUnit, written } from "./elements.js";
import { pictures } from "./graphs.js";
import { Guess } from "./guess.js";
import { keep, recall } from "./memory.js";
import { line, prose } from "./prose.js";

const KEPT = "nip-lesson-";
const SHOWN = ""; // stored instead of a guess if the person asked to be shown the answer

// `playables` mounts the front of a playable: it takes its name, a root and its data.
export function mount(root, send, playables) {
  const page = new Lesson(root, send, playables);
  return {
    show: (data) => page.show(data),
    answer: (data) => page.answer(data),
    destroy: () => page.destroy(),
  };
}

class Lesson {
  constructor(root, send, playables) {
    this.root = root;
    this.send = send;
    this.playables = playables;
    this.charts = [];
    this.parts = [];
  }

  destroy(from = 0) {
    for (const [, chart] of this.charts.filter(([place]) => place >= from)) chart.destroy();
    this.charts = this.charts.filter(([place]) => place < from);
  }

  // `step` counts from 1 and is scrolled to; the parts before it are shown as well.
  show({ lesson, step = 0 }) {
    this.destroy();
    this.lesson = lesson;
    this.sources = lesson.sources.map(([key]) => key);
    this.done = known(lesson.slug);
    this.reached = step;
    this.body = make("div", { class: "lesson" });
    this.root.replaceChildren(
      make("h1", { text: lesson.question }),
      make("p", { class: "quiet", text: lesson.about }),
      this.body,
    );
    this.draw();
    // After everything before it has its height.
    if (step) requestAnimationFrame(() => this.parts[step - 1]?.scrollIntoView());
  }

  note(name, value) {
    this.done[name] = value;
    keep(KEPT + this.lesson.slug, JSON.stringify(this.done));
  }

  // Draws the parts from `from` on; earlier ones stay, with the games begun in them.
  draw(from = 0) {
    this.destroy(from);
    const { blocks } = this.lesson,
      shown = this.parts.slice(0, from);
    for (const [place, block] of blocks.entries()) {
      if (place < from) continue;
      shown.push(this.part(block, place));
      const waits = block.after && !(`guess-${place}` in this.done) && place + 1 >= this.reached;
      if (!waits) continue;
      shown.push(make("p", { class: "quiet", text: block.after }));
      break;
    }
    this.parts = shown;
    const sources = this.lesson.sources.map(([, text]) => make("li", { text }));
    this.body.replaceChildren(
      ...shown,
      ...(sources.length
        ? [
            make(
              "details",
              {},
              make("summary", { text: this.lesson.words.sources }),
              make("ol", {}, ...sources),
            ),
          ]
        : []),
    );
  }

  part(block, place) {
    const made = make("section", { class: block.kind, "aria-label": `Step ${place + 1}` });
    const show = this[block.kind] ?? this.text;
    made.append(...show.call(this, block, place).filter(Boolean), this.step(block, place));
    return made;
  }

  // The link to a step.
  step(block, place) {
    const { slug, version } = this.lesson;
    const asked = new URLSearchParams({
      v: version,
      lesson: slug,
      step: place + 1,
      d: block.digest,
    });
    return make("a", {
      class: "step",
      href: `#lesson?${asked}`,
      title: "A link to this step",
      "aria-label": `A link to step ${place + 1}`,
      text: "#",
    });
  }

  text(block) {
    return [prose(block.text, this.sources)];
  }

  table({ columns, rows, caption }) {
    return [grid(columns, rows), caption && make("p", { class: "quiet", text: caption })];
  }

  open({ page, label, query }) {
    if (page === "transcripts")
      return [make("p", { class: "quiet", text: `“${label}” needs the program itself.` })];
    return [
      make("a", { class: "way", href: `#${page}?${new URLSearchParams(query)}`, text: label }),
    ];
  }

  // -- guesses and questions -----------------------------------------------------------------------

  predict(block, place) {
    const { words } = this.lesson,
      name = `guess-${place}`,
      head = make(
        "p",
        {},
        make("b", { text: `${words.guess}. ` }),
        line("span", block.question, this.sources),
      );
    if (name in this.done) {
      const said = this.done[name];
      return [
        head,
        said !== SHOWN && make("p", { text: `${words.guess}: ${said}.` }),
        prose(block.text, this.sources),
      ];
    }
    const guess = (value) => {
      this.note(name, value);
      this.draw(place);
    };
    const show = make("button", { class: "quiet", text: words.show, onclick: () => guess(SHOWN) });
    if (block.choices.length)
      return [
        head,
        make(
          "div",
          { class: "row" },
          ...block.choices.map((text) => make("button", { text, onclick: () => guess(text) })),
          show,
        ),
      ];
    const inside = make("div"),
      { low, high, step, unit } = block;
    const asked = new Guess(inside, (event, value) => {
      if (event === "said") guess(withUnit(value, unit));
    });
    asked.show({
      low,
      high,
      step,
      unit,
      value: null,
      given: null,
      label: words.guess,
      say: words.say,
    });
    return [head, inside, show];
  }

  quiz(block, place) {
    const name = `quiz-${place}`,
      answer = make("p", { role: "status" });
    const tell = (text) => {
      const chosen = block.answers.find((each) => each.text === text);
      if (!chosen) return;
      answer.className = chosen.right ? "right" : "wrong";
      answer.replaceChildren(
        make("b", { text: `${chosen.right ? "✔" : "✖"} ${chosen.verdict} ` }),
        line("span", chosen.why),
      );
    };
    const options = block.answers.map(({ text }) => {
      const input = make("input", {
        type: "radio",
        name: `${this.lesson.slug}-${name}`,
        checked: this.done[name] === text,
        onchange: () => {
          this.note(name, text);
          tell(text);
        },
      });
      return make("label", {}, input, line("span", text));
    });
    tell(this.done[name]);
    return [
      make(
        "fieldset",
        {},
        make(
          "legend",
          {},
          make("b", { text: `${this.lesson.words.question}. ` }),
          line("span", block.question),
        ),
        ...options,
      ),
      answer,
    ];
  }

  // -- games and experiments -------------------------------------------------------------------

  playable(block, place) {
    const inside = make("div", { class: "own" });
    this.playables(block.front, inside, {
      ...block.data,
      keep: `${block.front}/${this.lesson.slug}-${place}`,
    });
    const found = block.question ? this.result(block, `result-${place}`) : [];
    return [
      prose(block.text, this.sources),
      make("p", {}, make("b", { text: block.title })),
      inside,
      ...found,
    ];
  }

  // What a person has found in a drawing.
  result(block, name) {
    const { words } = this.lesson,
      { low, high, step, unit, question, answer } = block;
    const place = make("div"),
      says = make("p", { role: "status" });
    const asked = new Guess(place, (event, value) => {
      if (event === "said") {
        this.note(name, value);
        show();
      }
    });
    const show = () => {
      const kept = this.done[name],
        given = typeof kept === "number" && kept >= low && kept <= high ? kept : null;
      asked.show({
        low,
        high,
        step,
        unit,
        value: given,
        given,
        label: words.result,
        say: given === null ? words.send : words.change,
      });
      written(says, given === null ? "" : `${words.result}: ${withUnit(given, unit)}. ${answer}`);
    };
    show();
    return [
      make("p", {}, make("b", { text: `${words.result}. ` }), line("span", question)),
      place,
      says,
    ];
  }

  experiment(block, place) {
    const says = make("p", { class: "says", role: "status" }),
      drawing = make("div"),
      table = make("div", { class: "wide" });
    const chart = mountChart(drawing, () => {});
    this.charts.push([place, chart]);
    const show = ({ sentence, chart: drawn, columns, rows }) => {
      written(says, sentence);
      chart.show(drawn);
      table.replaceChildren(
        make("details", {}, make("summary", { text: "As a table" }), grid(columns, rows)),
      );
    };
    block.show = show;
    show(block.result);
    const name = `knobs-${place}`,
      knobs = turned(block.knobs, this.done[name]);
    const ask = () => this.send("experiment", { lesson: this.lesson.slug, place, knobs });
    const turn = (knob, value) => {
      knobs[knob] = value;
      this.note(name, knobs);
      ask();
    };
    const controls = make(
      "div",
      { class: "settings" },
      ...block.knobs.map((knob) =>
        control({ ...knob, value: knobs[knob.name] ?? knob.value }, (value) =>
          turn(knob.name, value),
        ),
      ),
    );
    if (Object.keys(knobs).length) ask();
    return [
      prose(block.text, this.sources),
      make("p", {}, make("b", { text: block.title })),
      controls,
      says,
      drawing,
      table,
    ];
  }

  game(block, place) {
    const board = make("div", { class: "board", "aria-live": "polite" });
    // A game that was in progress when the page was left continues.
    const name = `game-${place}`,
      goesOn = block.roles.some(([role]) => role === this.done[name]);
    if (goesOn) block.role = this.done[name];
    const { words } = this.lesson,
      sums = make("p", { class: "quiet" });
    const ask = (more) => this.send("game", { lesson: this.lesson.slug, place, ...more });
    const sides =
      block.roles.length > 1
        ? block.roles.map(([name, label]) =>
            make("button", {
              text: label,
              "aria-pressed": String(name === block.role),
              onclick: () => {
                block.role = name;
                for (const each of sides)
                  each.setAttribute("aria-pressed", String(each.textContent === label));
                begin();
              },
            }),
          )
        : [];
    const begin = () => {
      this.note(name, block.role);
      ask({ role: block.role });
    };
    board.append(
      goesOn
        ? make("p", { class: "quiet", text: "Your game is coming." })
        : make("button", { class: "main", text: "Play", onclick: begin }),
    );
    block.show = ({ said, drawings, prompt, choices, outcome, sums: counted }) => {
      const again = outcome && make("button", { class: "main", text: words.again, onclick: begin });
      board.replaceChildren(
        ...said.map(([who, text]) =>
          make("p", { class: "said" }, make("b", { text: `${who}: ` }), make("span", { text })),
        ),
        pictures(drawings, (choice) => ask({ choice })),
        make("p", { text: prompt }),
        make(
          "div",
          { class: "row" },
          ...choices.map(([name, text]) =>
            make("button", { text, onclick: () => ask({ choice: name }) }),
          ),
          ...(again ? [again] : []),
        ),
      );
      written(sums, counted);
    };
    if (goesOn) ask({ resume: true, role: block.role });
    return [
      prose(block.text, this.sources),
      make("p", {}, make("b", { text: block.title })),
      sides.length
        ? make("div", { class: "row", role: "group", "aria-label": words.side }, ...sides)
        : null,
      board,
      sums,
    ];
  }

  // Shows a result from Python in a step.
  answer({ lesson, place, result, scene }) {
    if (lesson === this.lesson?.slug) this.lesson.blocks[place]?.show?.(scene ?? result);
  }
}

function known(slug) {
  try {
    const found = JSON.parse(recall(KEPT + slug) ?? "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

// The stored settings that the experiment still has.
function turned(knobs, kept) {
  const fits = ({ value, choices, low, high }, found) =>
    choices
      ? choices.includes(found)
      : typeof found === typeof value &&
        (typeof value === "boolean" || (found >= low && found <= high));
  return Object.fromEntries(
    knobs.filter((knob) => fits(knob, kept?.[knob.name])).map(({ name }) => [name, kept[name]]),
  );
}

function grid(columns, rows) {
  const head = tableHead(columns);
  return make(
    "div",
    { class: "wide" },
    make(
      "table",
      {},
      head,
      make(
        "tbody",
        {},
        ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", { text })))),
      ),
    ),
  );
}

function control({ label, help, value, choices, low, high, step, whole }, turn) {
  if (choices) {
    const select = make(
      "select",
      { "aria-label": label, onchange: () => turn(select.value) },
      ...choices.map((text) => make("option", { value: text, text })),
    );
    select.value = value;
    return make("label", { title: help }, `${label} `, select);
  }
  if (typeof value === "boolean") {
    const box = make("input", {
      type: "checkbox",
      checked: value,
      onchange: () => turn(box.checked),
    });
    return make("label", { title: help }, box, label);
  }
  const shown = make("output", { text: value });
  const read = () => (whole ? Number.parseInt(slider.value, 10) : Number(slider.value));
  const slider = make("input", {
    type: "range",
    min: low,
    max: high,
    step,
    value,
    "aria-label": label,
    oninput: () => written(shown, slider.value),
    onchange: () => turn(read()),
  });
  return make("label", { title: help }, `${label} `, slider, shown);
}
