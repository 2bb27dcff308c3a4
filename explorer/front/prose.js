// Texts of lessons as elements: headings, lists, emphasis, code, citations, and the few kinds of
// formulas that they use. Anything else is shown as it is written.

import { make, written } from "./elements.js";

// Links lead to the glossary: `explained` makes them, and lessons themselves have none.
const LINK = /\[[^\]]+\]\(\/learn\?[^\s")]+ "[^"]*"\)/;
const INLINE = new RegExp(
  `(${LINK.source}|\\*\\*[^*]+\\*\\*|\\*[^*\\s][^*]*\\*|\`[^\`]+\`|\\$[^$]+\\$|\\[@[\\w-]+\\])`,
);
const BULLET = /^- /;
const NUMBER = /^(\d+)\. /;
const SIGNS = Object.fromEntries(
  [
    "log log ln ln max max min min times × cdot · le ≤ ge ≥ ldots … approx ≈ ne ≠ to → in ∈ sum ∑ prod ∏ sqrt √ infty ∞ pm ±",
    "alpha α beta β gamma γ delta δ epsilon ε theta θ lambda λ mu μ pi π rho ρ sigma σ phi φ",
  ].flatMap((signs) => (signs.match(/\S+ \S+/g) ?? []).map((pair) => pair.split(" "))),
);

// `sources` are the keys of cited works, in order.
export function prose(text, sources = []) {
  const made = make("div", { class: "prose" });
  for (const part of text.trim().split(/\n\s*\n/)) made.append(...paragraphs(part, sources));
  return made;
}

function paragraphs(text, sources) {
  const heading = /^#{1,4} (.*)(?:\n([^]*))?$/.exec(text);
  if (heading)
    return [
      line("h3", heading[1], sources),
      ...(heading[2] ? paragraphs(heading[2], sources) : []),
    ];
  const shown = /^\$\$([^]*)\$\$$/.exec(text.trim());
  if (shown) return [make("p", { class: "shown" }, formula(shown[1]))];
  const lines = text.split("\n");
  const mark = BULLET.test(lines[0]) ? BULLET : counts(lines) ? NUMBER : null;
  if (mark) {
    const items = [];
    for (const each of lines) {
      if (mark.test(each)) items.push(each.replace(mark, ""));
      else items[items.length - 1] += ` ${each.trim()}`;
    }
    return [
      make(mark === BULLET ? "ul" : "ol", {}, ...items.map((each) => line("li", each, sources))),
    ];
  }
  return [line("p", text.replaceAll("\n", " "), sources)];
}

// Whether lines are numbered from 1 on. An answer such as "3. That is one more" is no list.
function counts(lines) {
  const numbers = lines.map((each) => NUMBER.exec(each)).filter(Boolean);
  return (
    NUMBER.test(lines[0]) &&
    numbers.length > 1 &&
    numbers.every(([, number], place) => Number(number) === place + 1)
  );
}

export function line(tag, text, sources = []) {
  return make(
    tag,
    {},
    ...text
      .split(INLINE)
      .filter(Boolean)
      .map((part) => inline(part, sources)),
  );
}

function inline(part, sources) {
  const linked = /^\[([^\]]+)\]\((\S+) "([^"]*)"\)$/.exec(part);
  if (linked) {
    const [, text, href, title] = linked;
    return make("a", { text, href, title, target: "_blank" });
  }
  if (/^\*\*.+\*\*$/.test(part)) return line("b", part.slice(2, -2), sources);
  if (/^\*.+\*$/.test(part)) return line("i", part.slice(1, -1), sources);
  if (/^`.+`$/.test(part)) return make("code", { text: part.slice(1, -1) });
  if (/^\$.+\$$/.test(part)) return formula(part.slice(1, -1));
  const cited = /^\[@([\w-]+)\]$/.exec(part);
  return cited
    ? make("sup", { text: `[${sources.indexOf(cited[1]) + 1 || "?"}]` })
    : make("span", { text: part });
}

function formula(text) {
  const made = make("span", { class: "formula" });
  read(text.trim(), 0, made, "");
  return made;
}

// Reads up to the closing brace; returns its position.
function read(text, from, into, until) {
  let at = from;
  while (at < text.length && text[at] !== until) at = token(text, at, into);
  return at;
}

// An element of a formula: a group in braces, a command, a letter or a sign.
function token(text, at, into) {
  const letter = text[at];
  if (letter === "^" || letter === "_") {
    const part = make(letter === "^" ? "sup" : "sub");
    into.append(part);
    return at + 1 < text.length ? token(text, at + 1, part) : at + 1;
  }
  if (letter === "{") return read(text, at + 1, into, "}") + 1;
  if (letter === "\\") return command(text, at, into);
  if (/[A-Za-z]/.test(letter)) into.append(make("i", { text: letter }));
  else into.append(letter === "-" ? "−" : letter);
  return at + 1;
}

function command(text, at, into) {
  const name = /^[A-Za-z]+/.exec(text.slice(at + 1))?.[0] ?? text[at + 1] ?? "";
  let next = at + 1 + name.length;
  if (name === "frac") {
    for (const between of [" / ", ""]) {
      const part = make("span");
      next = token(text, next, part);
      if (part.textContent.length > 1) part.prepend("("), part.append(")");
      into.append(part, between);
    }
  } else if (name === "text" && text[next] === "{") {
    const end = text.indexOf("}", next);
    into.append(text.slice(next + 1, end < 0 ? undefined : end));
    next = end < 0 ? text.length : end + 1;
  } else if (name in SIGNS) into.append(SIGNS[name]);
  else written(into.appendChild(make("span")), `\\${name}`);
  return next;
}
