// Parameters of a protocol as plain controls.

import { make } from "./elements.js";

/** @param {string[]} choice */
export const option = ([value, text]) => make("option", { value, text });

// `choose` takes the name of a parameter and its new value.
export function controlsOf(controls, choose) {
  return controls.map(({ name, label, help, value, low, high, step = 1 }) => {
    const isFlag = typeof value === "boolean";
    const input = make(
      "input",
      isFlag
        ? { type: "checkbox", checked: value, title: help }
        : { type: "number", value, min: low ?? 0, max: high, step, title: help },
    );
    input.addEventListener("change", () => {
      const now = isFlag
        ? input.checked
        : Math.min(
            Math.max(
              (step === 1 ? Number.parseInt(input.value, 10) : Number(input.value)) || 0,
              low ?? 0,
            ),
            high,
          );
      choose(name, now);
    });
    return make("label", { title: help }, input, label);
  });
}
