// Cards from which one is chosen: with badges of seats, a title and a sentence here, and with a grid
// in protocols.js.

import { make, mounting, movedTo, written } from "./elements.js";
import { Unconfirmed } from "./unconfirmed.js";

// A row of cards; the chosen one is reported as `event`. The name of a card is in its data.
export class Cards {
  constructor(root, send, event, look) {
    this.root = root;
    this.send = send;
    this.event = event;
    this.unconfirmed = new Unconfirmed(() => this.check(this.fromPage));
    this.list = make("div", {
      role: "radiogroup",
      onkeydown: (pressed) => this.key(pressed),
      ...look,
    });
  }

  destroy() {
    this.unconfirmed.dropAll();
    this.root.replaceChildren();
  }

  // Shows which one is chosen, as the page says.
  select(selected) {
    this.fromPage = selected;
    const name = this.unconfirmed.value(this.event, selected);
    this.check(this.find(name) ? name : selected);
  }

  // Draws the cards if they are others than before; returns whether they are.
  fill(cards, draw) {
    const all = JSON.stringify(cards),
      changed = all !== this.all;
    this.all = all;
    if (changed) this.list.replaceChildren(...cards.map(draw));
    return changed;
  }

  button(name, look, ...children) {
    const made = make(
      "button",
      { type: "button", class: "card", role: "radio", onclick: () => this.choose(name), ...look },
      ...children,
    );
    made.dataset.name = name;
    return made;
  }

  find(name) {
    return [...this.list.children].find((card) => card.dataset.name === name);
  }

  // The chosen one may not be there; the first card then takes the focus.
  check(name) {
    this.selected = name;
    const found = this.find(name) ?? this.list.firstElementChild;
    for (const card of this.list.children) {
      card.setAttribute("aria-checked", card.dataset.name === name);
      card.tabIndex = card === found ? 0 : -1;
    }
  }

  choose(name) {
    if (name === this.selected) return;
    this.unconfirmed.choose(this.event, name);
    this.check(name);
    this.send(this.event, name);
  }

  key(event) {
    const cards = [...this.list.children];
    const card = movedTo(event, cards, cards.indexOf(event.target.closest(".card")));
    if (!card) return;
    card.focus();
    this.choose(card.dataset.name);
  }
}

class Choices extends Cards {
  constructor(root, send) {
    super(root, send, "choice", { class: "choices", "aria-labelledby": "label" });
    this.label = make("p", { class: "label", id: "label" });
    this.note = make("p", { class: "note" });
    root.replaceChildren(this.label, this.list, this.note);
  }

  show({ label, cards, selected, note }) {
    written(this.label, label);
    written(this.note, note ?? "");
    // The page reruns after each choice; the focus is kept for keyboard users.
    const focused = this.list.getRootNode().activeElement?.getAttribute("data-name");
    if (this.fill(cards, (each) => this.card(each))) this.find(focused)?.focus();
    this.select(selected);
  }

  card({ key, badges, title, about, strength }) {
    return this.button(
      key,
      {},
      badges.length
        ? make("span", { class: "badges", "aria-hidden": "true" }, ...badges.map(badgeOf))
        : null,
      make("span", { class: "title", text: title }),
      make("span", { class: "about", text: about }),
      strength ? drawStrength(strength) : null,
    );
  }
}

export const mount = mounting(Choices);

// A share as a bar, with its interval as a line.
function drawStrength({ at, from, to, text }) {
  const percent = (share) => `${100 * share}%`;
  return make(
    "span",
    { class: "strength" },
    make(
      "span",
      { class: "bar", "aria-hidden": "true" },
      make("i", { style: `width: ${percent(at)}` }),
      make("b", { style: `left: ${percent(from)}; width: ${percent(to - from)}` }),
    ),
    make("small", { text }),
  );
}

// A seat's badge, in its colours on a light and on a dark page.
function badgeOf({ label, light, dark }) {
  const made = make("span", { class: "badge", text: label });
  made.style.background = `light-dark(${light[0]}, ${dark[0]})`;
  made.style.color = `light-dark(${light[1]}, ${dark[1]})`;
  return made;
}
