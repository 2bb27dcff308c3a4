// The task: its parts, a program with quotable lines, or two graphs; and what the seat knows.

import { make, written } from "./elements.js";
import { exposed } from "./table_ending.js";
import { codeLines, drawGraph, flowing, lock, rich } from "./table_parts.js";
import { tr } from "./words.js";

export function drawTask({ statement, composer }, quote) {
  const head = make(
    "h2",
    { text: statement.title || tr("The problem") },
    statement.difficulty ? make("span", { class: "tag", text: statement.difficulty }) : null,
  );
  const drawn = statement.parts.flatMap((part) => {
    if (part.form === "graphs") return drawnGraphs(part);
    if (part.form === "program")
      return [codeLines(part.text, (line, text) => quote(`Line ${line}: \`${text}\``))];
    if (!part.title) return [rich("p", flowing(part.text), { class: "question" })];
    return drawPart(part, composer.quotes ? quote : null);
  });
  return [head, ...drawn, ...drawFacts(statement.facts)];
}

// A part of the task, with the seats that cannot read it. Selected words can be quoted.
function drawPart({ title, text, note, quotable }, quote) {
  const head = make(
    "h3",
    {},
    text === null ? lock() : null,
    title,
    note ? make("small", { text: note }) : null,
  );
  if (text === null) return [make("div", { class: "part closed" }, head)];
  const said = make(
    "div",
    { class: "said" },
    ...text
      .trim()
      .split(/\n{2,}/)
      .map((each) => make("p", {}, ...lines(each))),
  );
  if (!quotable || !quote) return [make("div", { class: "part" }, head, said)];
  const button = make("button", {
    type: "button",
    class: "quote",
    text: tr("Quote what is marked"),
    title: tr("Mark words in the text first"),
    onclick: () => {
      const words = markedIn(said);
      // Inner quotation marks would end the quote, so they are replaced; the kind of marks is
      // ignored.
      if (words) quote(`“${words.replace(/[“”"]/g, "'")}”`);
      else written(button, tr("First mark the words in the text"));
    },
  });
  said.addEventListener("pointerup", () => written(button, tr("Quote what is marked")));
  head.append(button);
  return [make("div", { class: "part" }, head, said)];
}

function lines(text) {
  return text.split("\n").flatMap((each, index) => (index ? [make("br"), each] : [each]));
}

// The selected text, if it is within an element. A shadow root may have its own selection.
function markedIn(element) {
  const root = element.getRootNode(),
    selection = root.getSelection?.() ?? getSelection();
  const [range] = selection.getComposedRanges?.({ shadowRoots: [root] }) ?? [];
  const ends = range
    ? [range.startContainer, range.endContainer]
    : [selection.anchorNode, selection.focusNode];
  if (!ends.every((node) => node && element.contains(node))) return "";
  const marked = new Range();
  marked.setStart(
    range ? range.startContainer : selection.getRangeAt(0).startContainer,
    range ? range.startOffset : selection.getRangeAt(0).startOffset,
  );
  marked.setEnd(
    range ? range.endContainer : selection.getRangeAt(0).endContainer,
    range ? range.endOffset : selection.getRangeAt(0).endOffset,
  );
  return marked.toString().trim().replace(/\s+/g, " ");
}

function drawFacts(facts) {
  if (!facts.length) return [];
  return [
    make(
      "dl",
      { class: "known" },
      ...facts.flatMap(([name, value]) => [
        make("dt", { text: name }),
        make("dd", { text: value }),
      ]),
    ),
  ];
}

function drawnGraphs({ text, graphs, layouts }) {
  const pictures = make("div", { class: "graphs" });
  const draw = (layout) =>
    pictures.replaceChildren(
      ...graphs.map((graph) =>
        make(
          "figure",
          {},
          make("figcaption", { text: tr("Graph {name}", { name: graph.name }) }),
          drawGraph(graph, layout),
        ),
      ),
    );
  const choice = make(
    "select",
    { "aria-label": tr("How the graphs are drawn"), onchange: () => draw(choice.value) },
    ...layouts.map((name) => make("option", { value: name, text: name })),
  );
  draw(layouts[0]);
  return [
    make("p", { class: "tag" }, `${tr("Drawing")}: `, choice),
    pictures,
    make(
      "details",
      {},
      make("summary", { text: tr("In words") }),
      make("p", { class: "question", text: flowing(text) }),
    ),
  ];
}

// An informed prover's knowledge, and the seat's instructions.
export function drawSeat({ agents, seat, you, stance, prompt, briefing }) {
  const parts = [];
  if (briefing) {
    const [before, behind] = tr("The right verdict is {verdict}.").split("{verdict}");
    parts.push(
      make("h3", { text: tr("What you know") }),
      make("p", {}, before, make("strong", { text: briefing.truth }), behind),
    );
    if (briefing.explanation) parts.push(rich("p", briefing.explanation));
    if (briefing.exposing) parts.push(...exposed(briefing.exposing));
    if (briefing.opening)
      parts.push(
        make("h3", { text: tr("You could open with") }),
        make("pre", { text: briefing.opening.trim() }),
      );
    for (const [ask, answer] of briefing.answers)
      parts.push(make("h3", { text: ask }), make("pre", { text: answer }));
  }
  const { name } = agents[seat];
  const whose = you
    ? tr("Your seat: {seat}", { seat: name })
    : tr("Seen from the seat: {seat}", { seat: name });
  return {
    title: stance ? tr("{seat}, arguing for “{side}”", { seat: whose, side: stance }) : whose,
    open: briefing !== null,
    parts: [
      ...parts,
      make(
        "details",
        { class: "more" },
        make("summary", {
          text: tr("More: the full prompt, as a model in this seat would get it"),
        }),
        make("pre", { text: prompt }),
      ),
    ],
  };
}
