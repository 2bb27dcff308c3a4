// Cards from which one is chosen, each with badges of seats, a title and a sentence.

import { make, written } from "./elements.js";

export function mount(root, send) {
  const choices = new Choices(root, send);
  return { show: (data) => choices.show(data), destroy: () => root.replaceChildren() };
}

class Choices {
  constructor(root, send) {
    this.send = send;
    this.label = make("p", { class: "label", id: "label" });
    this.list = make("div", { class: "choices", role: "radiogroup", "aria-labelledby": "label", onkeydown: (event) => this.key(event) });
    root.replaceChildren(this.label, this.list);
  }

  show({ label, cards, selected }) {
    written(this.label, label);
    const all = JSON.stringify(cards);
    if (all !== this.all) {
      // The page reruns after each choice; the focus is kept for keyboard users.
      const focused = this.list.getRootNode().activeElement?.dataset?.key;
      this.all = all;
      this.list.replaceChildren(...cards.map((card) => this.card(card)));
      this.find(focused)?.focus();
    }
    this.check(selected);
  }

  card({ key, badges, title, about }) {
    const made = make("button", { type: "button", class: "card", role: "radio", onclick: () => this.choose(key) },
      badges.length ? make("span", { class: "badges", "aria-hidden": "true" }, ...badges.map(badgeOf)) : null,
      make("span", { class: "title", text: title }),
      make("span", { class: "about", text: about }));
    made.dataset.key = key;
    return made;
  }

  find(key) {
    return [...this.list.children].find((card) => card.dataset.key === key);
  }

  check(key) {
    this.selected = key;
    const found = this.find(key) ?? this.list.firstElementChild;
    for (const card of this.list.children) {
      card.setAttribute("aria-checked", card.dataset.key === key);
      card.tabIndex = card === found ? 0 : -1;
    }
  }

  choose(key) {
    if (key === this.selected) return;
    this.check(key);
    this.send("choice", key);
  }

  key(event) {
    const cards = [...this.list.children];
    const now = cards.indexOf(this.list.getRootNode().activeElement);
    const to = { ArrowLeft: now - 1, ArrowUp: now - 1, ArrowRight: now + 1, ArrowDown: now + 1, Home: 0, End: cards.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const card = cards[Math.max(0, Math.min(cards.length - 1, to))];
    card.focus();
    this.choose(card.dataset.key);
  }
}

// A seat's badge. In version 1 the letter determines the colour; otherwise light and dark colours
// are given.
function badgeOf(badge) {
  if (typeof badge === "string") return make("span", { class: `badge ${badge.toLowerCase()}`, text: badge });
  const { label, light, dark } = badge, made = make("span", { class: "badge", text: label });
  made.style.background = `light-dark(${light[0]}, ${dark[0]})`;
  made.style.color = `light-dark(${light[1]}, ${dark[1]})`;
  return made;
}
