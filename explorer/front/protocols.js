// A row of protocols to choose from, from simple to rich, each with a miniature of its grid. One is
// chosen, or several if the page gives a list.

import { Cards } from "./choices.js";
import { make, mounting } from "./elements.js";
import { History } from "./history.js";
import { Miniature } from "./miniature.js";

class ProtocolStrip extends Cards {
  constructor(root, send) {
    super(root, send, "protocol", { class: "strip", "aria-label": "Protocol" });
    this.pictures = [];
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
    super.destroy();
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

  show({ cards, selected }) {
    const before = this.pictures;
    this.pictures = [];
    this.several = Array.isArray(selected);
    this.list.setAttribute("role", this.several ? "group" : "radiogroup");
    if (this.fill(cards, (card) => this.card(card)))
      for (const picture of before) picture.destroy();
    else this.pictures = before;
    this.select(selected);
  }

  card({ name, title, about, drawing }) {
    const picture = make("span", { class: "picture", text: drawing ? "" : "+" });
    if (drawing) {
      const miniature = new Miniature(picture);
      miniature.show({ drawing, most: 28, height: 38 });
      this.pictures.push(miniature);
    }
    const look = { title: about, role: this.several ? "checkbox" : "radio" };
    return this.button(name, look, picture, make("span", { text: title }));
  }

  // Of several, the names are joined by commas.
  select(selected) {
    if (!this.several) return super.select(selected);
    this.fromPage = selected.join();
    this.check(this.unconfirmed.value(this.event, this.fromPage));
  }

  // All names are sent, since the page may hear of two choices at once.
  choose(name) {
    if (!this.several) return super.choose(name);
    const before = this.selected.split(",").filter(Boolean);
    const without = before.filter((other) => other !== name);
    const names = before.length === without.length ? [...before, name] : without;
    this.unconfirmed.choose(this.event, names.join());
    this.check(names.join());
    this.send(this.event, names);
  }

  // Among several, each is reached by Tab.
  key(event) {
    if (!this.several) super.key(event);
  }

  // The chosen protocol may be in another family.
  check(name) {
    super.check(name);
    if (this.several) {
      const names = name.split(",");
      for (const card of this.list.children) {
        card.setAttribute("aria-checked", names.includes(card.dataset.name));
        card.tabIndex = 0;
      }
      return;
    }
    const card = this.find(name);
    if (card && this.list.scrollWidth > this.list.clientWidth)
      this.list.scrollLeft = card.offsetLeft - (this.list.clientWidth - card.offsetWidth) / 2;
  }
}

export const mount = mounting(ProtocolStrip);
