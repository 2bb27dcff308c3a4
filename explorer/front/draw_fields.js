// Controls of the editor's panels. What is rebuilt keeps the focus and what was typed.

import { make, svg } from "./elements.js";

/** @returns {HTMLButtonElement} */
export function button(text, kind, press, label = "") {
  const named = label ? { "aria-label": label, title: label } : {};
  return make("button", { class: kind, type: "button", onclick: press, ...named }, text);
}

export function badge(editor, name) {
  const { label, fill, ink } = editor.look(name);
  return make("span", {
    class: "badge",
    style: `background:${fill};color:${ink}`,
    text: label,
    "aria-hidden": "true",
  });
}

// A label and its control; `under` stands below both.
export function field(label, control, ...under) {
  return make("label", { class: "field" }, make("span", { text: label }), control, ...under);
}

// A field for a text, which is sent when it is left or Enter is pressed.
export function typed(label, value, send, more = {}) {
  const input = make("input", { value, "aria-label": label, autocomplete: "off", ...more });
  const give = () => {
    if (input.value === input.defaultValue) return;
    input.defaultValue = input.value;
    send(input.value.trim());
  };
  input.addEventListener("change", give);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    give();
    // A phone's keyboard goes away; elsewhere the focus stays.
    if (matchMedia("(pointer: coarse)").matches) input.blur();
  });
  return input;
}

export function numbered(label, value, send, more = {}) {
  const shown = { type: "number", inputmode: "numeric", min: 1, max: 1000, ...more };
  return typed(label, value, (text) => text && send(Number(text)), shown);
}

// `options` are pairs of a value and its text.
export function picker(label, options, value, send) {
  const list = make(
    "select",
    { "aria-label": label },
    ...options.map(([own, text]) => make("option", { value: own, text })),
  );
  list.value = value;
  list.addEventListener("change", () => send(list.value, list));
  return list;
}

export function tick(label, on, send) {
  const box = make("input", { type: "checkbox", checked: on, "aria-label": label });
  box.addEventListener("change", () => send(box.checked));
  return make("label", { class: "tick" }, box, make("span", { text: label }));
}

// A condition: one of those that a person may mean, in words, or one that is typed.
export function condition(editor, label, value, none, send, { among = null, more = [] } = {}) {
  const known = editor.facts.conditions.filter(
    ([, text]) => !among || among.some((name) => text.includes(name)),
  );
  const own = value && !known.some(([, text]) => text === value) ? [[value, value]] : [];
  const choices = [...more, ...known].map(([words, text]) => [text, words]);
  const entry = typed(`${label}, as an expression`, value, (text) => send(text), {
    class: "code",
    hidden: true,
    spellcheck: "false",
  });
  const list = picker(
    label,
    [["", none], ...choices, ...own, ["…", "write it …"]],
    value,
    (text) => {
      if (text !== "…") return send(text);
      entry.hidden = false;
      entry.focus();
      return undefined;
    },
  );
  return field(label, list, entry);
}

// What is rarely needed; it stays open where it was opened.
export function folded(editor, key, title, ...content) {
  const shown = content.filter(Boolean);
  if (!shown.length) return null;
  const made = make(
    "details",
    { class: "more", open: editor.folds.has(key) },
    make("summary", { text: title }),
    ...shown,
  );
  made.addEventListener("toggle", () => editor.folds[made.open ? "add" : "delete"](key));
  return made;
}

export function counted(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

export function eye(open) {
  const made = svg("svg", { viewBox: "0 0 20 14", width: 18, height: 13, "aria-hidden": "true" });
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
  made.append(svg("path", { d: "M1 7C4 2 16 2 19 7C16 12 4 12 1 7Z", ...line }));
  if (open) made.append(svg("circle", { cx: 10, cy: 7, r: 2.6, fill: "currentColor" }));
  else made.append(svg("path", { d: "M3 13L17 1", ...line }));
  return made;
}

export function number(value) {
  if (value === null || value === undefined) return "?";
  const text = value.toFixed(2).replace(/\.?0+$/, "");
  return (text === "-0" ? "0" : text).replace("-", "−");
}

export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

// What is to be filled as soon as the field in it that is being typed in is left.
const waiting = new WeakMap();

// Fills a place anew unless nothing has changed. Focus stays at the control of the same name. A
// field in which something is being typed is not rebuilt until it is left.
export function fill(place, key, build) {
  const now = JSON.stringify(key);
  if (place.dataset.key === now) return void waiting.delete(place);
  const { activeElement: active } = place.getRootNode();
  const within = active && place.contains(active) ? nameOf(active) : null;
  const text = within && active.matches("input:not([type=checkbox], [type=range])");
  if (text && active.value !== active.defaultValue) {
    if (!waiting.has(place)) active.addEventListener("blur", () => later(place), { once: true });
    return void waiting.set(place, [key, build]);
  }
  waiting.delete(place);
  const caret =
    text && active.type === "text" ? [active.selectionStart, active.selectionEnd] : null;
  place.replaceChildren(...build().filter(Boolean));
  // Known only now: a control that is left while it is replaced reports a change.
  place.dataset.key = now;
  if (!within) return;
  const controls = [...place.querySelectorAll("button, input, select, textarea, summary")];
  const again = /** @type {HTMLInputElement} */ (controls.find((one) => nameOf(one) === within));
  again?.focus({ preventScroll: true });
  if (caret && again?.type === "text") again.setSelectionRange(caret[0], caret[1]);
}

function later(place) {
  const [key, build] = waiting.get(place) ?? [];
  if (build) setTimeout(() => waiting.has(place) && fill(place, key, build));
}

export function nameOf(element) {
  return element.getAttribute("aria-label") ?? element.textContent;
}
