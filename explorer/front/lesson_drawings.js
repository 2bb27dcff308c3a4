// Drawings of a lesson: playables, and what a class has answered.

import { make } from "./elements.js";
import { questionWithAnswer, WORDS } from "./lesson_questions.js";
import { heading } from "./lesson_tables.js";
import { mount as mountTally } from "./tally.js";

export function playable(lesson, section) {
  const { part } = section,
    drawing = make("div", { class: "drawing" });
  if (part.front)
    lesson.coming.push(lesson.front(part.front, drawing, { ...part.data, keep: part.keep }));
  const question = part.question ? questionWithAnswer(lesson, section, WORDS.result) : [];
  return [lesson.prose(part.text), heading(part), drawing, ...question];
}

// The answers of a class; the connection of the window keeps them up to date.
export function tallies(section) {
  const root = make("div");
  let tally = null;
  section.ends.push(() => tally?.destroy());
  section.updates.push(() => {
    const { charts, live } = section.part;
    if (!charts) return;
    tally ??= mountTally(root);
    tally.show({ charts, live });
  });
  return root;
}
