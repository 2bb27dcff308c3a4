// After the game: how sure one was, round by round, against the truth.

import { make } from "./table_parts.js";

export function mount(root, send) {
  return {
    show({ review: { confidence, truth }, tree, seat }) {
      const back = (round) => {
        const node = positionOf(tree, round);
        if (node) send("act", { goto: node.id, seat, mark: `${Date.now()}` });
      };
      root.replaceChildren(...course(confidence, truth, back));
    },
    destroy() { root.replaceChildren(); },
  };
}

// The position on the present line in which a round was played.
function positionOf({ nodes, here }, round) {
  let node = nodes.find((each) => each.id === here);
  while (node && node.round > round) node = nodes.find((each) => each.id === node.parent);
  return node;
}

function course(notes, truth, goBack) {
  const swing = notes.slice(1).map(([round, value], index) => [Math.abs(value - notes[index][1]), round]).sort((a, b) => b[0] - a[0])[0];
  const brier = notes.reduce((sum, [, value]) => sum + (value / 100 - truth) ** 2, 0) / notes.length;
  const told = notes.map(([round, value]) => `round ${round + 1}: ${value} %`).join(", ");
  const parts = [make("h3", { text: "Review" }), make("p", { text: `Your confidence that the claim is true: ${told}.` }),
    make("p", { text: `Brier score ${brier.toFixed(3)} (0 is best; always saying 50 % costs 0.25).` })];
  if (swing && swing[0]) {
    parts.push(make("p", { text: `Its largest swing was ${swing[0]} points, in round ${swing[1] + 1}.` }),
      make("button", { type: "button", text: `Go back to round ${swing[1] + 1}`, onclick: () => goBack(swing[1]) }));
  }
  return parts;
}
