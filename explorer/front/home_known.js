// The last games, lesson and study, which are stored only in this browser.
import { make } from "./elements.js";

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function known(open) {
  const games = read("nip-episodes", []),
    lessons = read("nip-lessons", {});
  const ways = [];
  const add = (label, title, href, onclick) =>
    ways.push(
      make(
        "a",
        { class: "back", href, ...(onclick ? { onclick } : {}) },
        make("small", { text: label }),
        make("span", { text: title }),
      ),
    );
  if (Array.isArray(games)) {
    const latest = [...games]
      .sort((one, other) => Number(Boolean(one.over)) - Number(Boolean(other.over)))
      .slice(0, 2);
    for (const { id, title, over } of latest)
      add(
        over ? "Look back at" : "Continue",
        String(title),
        `/play?episode=${encodeURIComponent(id)}`,
        open(String(id)),
      );
  }
  const begun = Object.entries(lessons).findLast(
    ([, each]) => each?.title && each.right < each.questions,
  );
  if (begun)
    add("Lesson", String(begun[1].title), `/learn?lesson=${encodeURIComponent(begun[0])}`, null);
  const study = read("nip-study", null);
  if (study?.name)
    add("Study", String(study.title), `/studies?study=${encodeURIComponent(study.name)}`, null);
  return ways.length
    ? make("nav", { class: "known", "aria-label": "Where you left off" }, ...ways)
    : null;
}
