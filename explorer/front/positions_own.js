// Positions from one's own lost games, stored only in the browser, the latest first.

import { keep, recall } from "./memory.js";

const KEPT = "nip-positions-own",
  MOST = 12;

export function ownPositions() {
  try {
    const found = JSON.parse(recall(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter(isWhole).slice(0, MOST) : [];
  } catch {
    return []; // not a position of ours
  }
}

export function keepOwn(position) {
  const others = ownPositions().filter(({ name }) => name !== position.name);
  keep(KEPT, JSON.stringify([position, ...others].slice(0, MOST)));
}

// What was stored may have been changed: a position that cannot be drawn is left out.
function isWhole(one) {
  const texts = ["name", "title", "difficulty", "question", "program", "seat"];
  const isQuestion = (each) =>
    typeof each?.ask === "string" &&
    typeof each.after === "number" &&
    (each.likely === null || isLikely(each.likely));
  const isLikely = (likely) =>
    Array.isArray(likely?.texts) &&
    likely.texts.every((text) => typeof text === "string") &&
    typeof likely.chance === "number" &&
    typeof likely.belief === "number";
  return (
    one !== null &&
    typeof one === "object" &&
    texts.every((name) => typeof one[name] === "string") &&
    typeof one.before === "number" &&
    typeof one.provers === "number" &&
    Array.isArray(one.said) &&
    one.said.every((each) => typeof each?.who === "string" && typeof each.text === "string") &&
    Array.isArray(one.questions) &&
    one.questions.length > 0 &&
    one.questions.every(isQuestion)
  );
}
