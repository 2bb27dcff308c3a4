// A row of protocols to choose from, from simple to rich, each with a miniature of its grid.

import { written } from "./elements.js";
import { History } from "./history.js";
import { Miniature } from "./miniature.js";

export function mount(root, send) {
  const strip = new ProtocolStrip(root, send);
  return { show: (data) => strip.show(data), destroy: () => strip.destroy() };
}

class ProtocolStrip {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.pictures = [];
    this.list = document.createElement("div");
    this.list.className = "strip";
    this.list.setAttribute("role", "radiogroup");
    this.list.setAttribute("aria-label", "Protocol");
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("scroll", () => this.hint(), { passive: true });
    this.watcher = new ResizeObserver(() => {
      this.check(this.selected);
      this.hint();
    });
    this.watcher.observe(this.list);
    root.replaceChildren(this.list);
    this.history = new History();
  }

  destroy() {
    for (const picture of this.pictures) picture.destroy();
    this.history.destroy();
    this.watcher.disconnect();
  }

  // Sides with hidden cards fade out.
  hint() {
    const { scrollLeft, clientWidth, scrollWidth } = this.list;
    this.list.classList.toggle("before", scrollLeft > 2);
    this.list.classList.toggle("after", scrollLeft + clientWidth < scrollWidth - 2);
  }

  show({ cards, selected, query }) {
    const all = JSON.stringify(cards);
    if (all !== this.all) {
      this.all = all;
      for (const picture of this.pictures) picture.destroy();
      this.pictures = [];
      this.list.replaceChildren(...cards.map((card) => this.card(card)));
    }
    this.check(selected);
    if (query !== this.query) requestAnimationFrame(() => this.history.note());
    this.query = query;
  }

  card({ name, title, about, drawing }) {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className: "card", title: about });
    made.dataset.name = name;
    made.setAttribute("role", "radio");
    const picture = document.createElement("span"), words = document.createElement("span");
    picture.className = "picture";
    written(words, title);
    made.append(picture, words);
    made.addEventListener("click", () => this.choose(name));
    if (drawing) {
      const miniature = new Miniature(picture);
      miniature.show({ drawing, most: 28, height: 38 });
      this.pictures.push(miniature);
    } else written(picture, "+");
    return made;
  }

  check(name) {
    this.selected = name;
    const shown = [...this.list.children].some((card) => card.dataset.name === name);
    for (const card of this.list.children) {
      const own = card.dataset.name === name;
      card.setAttribute("aria-checked", own);
      // The chosen protocol may be in another family; the first card then takes the focus.
      card.tabIndex = own || (!shown && card === this.list.firstChild) ? 0 : -1;
      if (own && this.list.scrollWidth > this.list.clientWidth) {
        this.list.scrollLeft = card.offsetLeft - (this.list.clientWidth - card.offsetWidth) / 2;
      }
    }
  }

  choose(name) {
    if (name === this.selected) return;
    this.check(name);
    this.send("protocol", name);
  }

  key(event) {
    const cards = [...this.list.children];
    const now = cards.findIndex((card) => card.dataset.name === this.selected);
    const to = { ArrowLeft: now - 1, ArrowUp: now - 1, ArrowRight: now + 1, ArrowDown: now + 1, Home: 0, End: cards.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const card = cards[Math.max(0, Math.min(cards.length - 1, to))];
    card.focus();
    this.choose(card.dataset.name);
  }
}
