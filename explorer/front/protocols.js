// A row of protocols to choose from, from simple to rich, each with a miniature of its grid.

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

  show({ cards, selected, query }) {
    const before = this.pictures;
    this.pictures = [];
    if (this.fill(cards, (each) => this.card(each)))
      for (const picture of before) picture.destroy();
    else this.pictures = before;
    this.select(selected);
    if (query !== this.query) requestAnimationFrame(() => this.history.note());
    this.query = query;
  }

  card({ name, title, about, drawing }) {
    const picture = make("span", { class: "picture", text: drawing ? "" : "+" });
    if (drawing) {
      const miniature = new Miniature(picture);
      miniature.show({ drawing, most: 28, height: 38 });
      this.pictures.push(miniature);
    }
    return this.button(name, { title: about }, picture, make("span", { text: title }));
  }

  // The chosen protocol may be in another family.
  check(name) {
    super.check(name);
    const card = this.find(name);
    if (card && this.list.scrollWidth > this.list.clientWidth)
      this.list.scrollLeft = card.offsetLeft - (this.list.clientWidth - card.offsetWidth) / 2;
  }
}

export const mount = mounting(ProtocolStrip);
