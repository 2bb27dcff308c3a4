// The form for a language model on the page with model seats. The key is in its field and in the
// messages to Python, and nowhere else.

import { make } from "./elements.js";
import { controlsOf } from "./site_controls.js";

export class ModelForm {
  constructor({ address, note, numbers }) {
    this.numbers = {};
    this.address = make("input", { type: "url", value: address, size: 32, spellcheck: false });
    this.model = make("input", { type: "text", spellcheck: false, placeholder: "llama3.2" });
    this.key = make("input", { type: "password", autocomplete: "off" });
    const field = (label, input) => make("label", {}, label, input);
    this.root = make(
      "fieldset",
      { class: "model" },
      make("legend", { text: "A language model plays the other seats" }),
      make(
        "div",
        { class: "settings" },
        field("Address", this.address),
        field("Model", this.model),
        field("Key, if the server needs one", this.key),
      ),
      make(
        "details",
        {},
        make("summary", { text: "More" }),
        make(
          "div",
          { class: "settings" },
          ...controlsOf(numbers, (name, value) => {
            this.numbers[name] = value;
          }),
        ),
      ),
      make("p", { class: "quiet", text: note }),
    );
  }

  // The entered data; `seats` are the seats of a new game, by kind of player.
  chosen(seats) {
    const scripted = Object.keys(seats).filter((seat) => seats[seat] === "scripted");
    return {
      seats: scripted,
      model: this.model.value,
      address: this.address.value,
      key: this.key.value,
      ...this.numbers,
    };
  }
}
