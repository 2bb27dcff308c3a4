// What the game is about: a program in lines that can be quoted, or two graphs; and what a seat knows.

import { make } from "./elements.js";
import { exposed } from "./table_ending.js";
import { codeLines, drawGraph, flowing, rich } from "./table_parts.js";

export function drawTask({ statement }, quote) {
  const head = make("h2", { text: statement.title || "The problem" }, statement.difficulty ? make("span", { class: "tag", text: statement.difficulty }) : null);
  if (statement.graphs) return [head, ...drawnGraphs(statement)];
  return [head, rich("p", flowing(statement.question), { class: "question" }), codeLines(statement.solution, quote)];
}

function drawnGraphs(statement) {
  const pictures = make("div", { class: "graphs" });
  const draw = (layout) => pictures.replaceChildren(...statement.graphs.map((graph) => make("figure", {}, make("figcaption", { text: `Graph ${graph.name}` }), drawGraph(graph, layout))));
  const choice = make("select", { "aria-label": "How the graphs are drawn", onchange: () => draw(choice.value) }, ...statement.layouts.map((name) => make("option", { value: name, text: name })));
  draw(statement.layouts[0]);
  return [make("p", { class: "tag" }, "Drawing: ", choice), pictures,
    make("details", {}, make("summary", { text: "In words" }), make("p", { class: "question", text: flowing(statement.question) }))];
}

// What an informed prover knows, and everybody's instructions.
export function drawSeat({ agents, seat, you, stance, prompt, briefing }) {
  const parts = [];
  if (briefing) {
    parts.push(make("h3", { text: "What you know" }), make("p", {}, "The right verdict is ", make("strong", { text: briefing.truth }), "."));
    if (briefing.explanation) parts.push(rich("p", briefing.explanation));
    if (briefing.exposing) parts.push(...exposed(briefing.exposing));
    if (briefing.opening) parts.push(make("h3", { text: "You could open with" }), make("pre", { text: briefing.opening.trim() }));
    for (const [ask, answer] of briefing.answers) parts.push(make("h3", { text: ask }), make("pre", { text: answer }));
  }
  const whose = you ? "Your seat" : "Seen from the seat";
  const side = stance ? `, arguing for “${stance}”` : "";
  return {
    title: `${whose}: ${agents[seat].name}${side}`,
    open: briefing !== null,
    parts: [...parts, make("details", { class: "more" }, make("summary", { text: "More: the full prompt, as a model in this seat would get it" }), make("pre", { text: prompt }))],
  };
}
