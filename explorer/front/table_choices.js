// Choices, and quotes in messages.

import { make, written } from "./elements.js";
import { unsetSlider } from "./unset.js";
import { tr } from "./words.js";

// A control for each choice; `made` is called with the choice. Nothing is preselected.
export function drawChoices({ choices, total }, made) {
  const sum =
    total === null || total === undefined ? null : make("p", { class: "sum", role: "status" });
  const count = () => {
    if (sum)
      written(
        sum,
        tr("Together they must be {total}; so far they are {sum}.", {
          total,
          sum: choices.reduce((all, { name }) => all + (made[name] ?? 0), 0),
        }),
      );
  };
  const names = choices.map(({ name }) => name);
  for (const name of Object.keys(made)) if (!names.includes(name)) delete made[name];
  const drawn = choices.map((choice) => {
    const taken = (option) => {
      made[choice.name] = option;
      count();
    };
    if (choice.kind === "scale") return scale(choice, made, taken);
    return choice.listed ? list(choice, made, taken) : buttons(choice, made, taken);
  });
  count();
  return make(
    "div",
    { class: "choices", role: "group", "aria-label": tr("Your choices"), tabindex: -1 },
    ...drawn,
    sum,
  );
}

function buttons({ name, title, note, options }, made, taken) {
  return make(
    "fieldset",
    { class: "choice" },
    make("legend", {}, title, note ? make("small", { text: ` ${note}` }) : null),
    ...options.map(([option, words]) => {
      const input = make("input", {
        type: "radio",
        name: `choice-${name}`,
        value: String(option),
        onchange: () => taken(option),
      });
      input.checked = made[name] === option;
      return make("label", {}, input, make("span", { text: words }));
    }),
  );
}

function list({ name, title, options }, made, taken) {
  const select = make(
    "select",
    { "aria-label": title, onchange: () => taken(options[Number(select.value)][0]) },
    make("option", { value: "", text: tr("Choose..."), disabled: true }),
    ...options.map(([, words], index) => make("option", { value: String(index), text: words })),
  );
  const at = options.findIndex(([option]) => option === made[name]);
  select.value = at < 0 ? "" : String(at);
  return make("label", { class: "choice" }, make("span", { text: title }), select);
}

// A scale whose steps are the options, evenly spaced or not.
function scale({ name, title, note, options }, made, taken) {
  const at = options.findIndex(([option]) => option === made[name]);
  const shown = make("output", { text: at < 0 ? tr("not chosen yet") : String(made[name]) });
  const spoken = tr("{title}, from {low} to {high}", {
    title: note ? `${title}, ${note}` : title,
    low: options[0][1],
    high: options[options.length - 1][1],
  });
  const slider = unsetSlider(
    { min: 0, max: options.length - 1, step: 1, value: at < 0 ? null : at, "aria-label": spoken },
    (place) => {
      const [option] = options[place];
      slider.setAttribute("aria-valuetext", String(option));
      written(shown, String(option));
      taken(option);
    },
  );
  return make(
    "label",
    { class: "choice scale" },
    make("span", { text: title }),
    note ? make("small", { text: note }) : null,
    slider,
    shown,
  );
}

// Text between quotation marks is a quote, which the server checks.
export function withQuotes(text) {
  return text.replace(
    /“([^“”]+)”|"([^"\n]+)"/g,
    (_, curly, straight) => `<quote>${curly ?? straight}</quote>`,
  );
}

// For comparing typed text with what is sent and with messages, which mark quotes in other ways.
export function plainQuotes(text) {
  return text.replace(/[“”]|<\/?quote>/g, '"');
}
