// A slider for an answer: it has no value, and shows no thumb, until somebody touches it.

import { make } from "./elements.js";
import { tr } from "./words.js";

// `taken` is called with each value that was chosen. A press in the middle, where the hidden thumb
// is, changes nothing in the slider, but chooses.
export function unsetSlider({ value = null, ...attributes }, taken) {
  const slider = make("input", {
    type: "range",
    class: value === null ? "unset" : "",
    "aria-valuetext": value === null ? tr("not chosen yet") : null,
    ...attributes,
  });
  // Arrow keys begin in the middle, and not where the browser puts the thumb.
  slider.value = value ?? (attributes.min + attributes.max) / 2;
  const take = () => {
    slider.classList.remove("unset");
    slider.removeAttribute("aria-valuetext");
    taken(Number(slider.value));
  };
  slider.addEventListener("input", take);
  slider.addEventListener("pointerup", (event) => {
    if (!event.button) take();
  });
  return slider;
}
