// All protocols by family, each with a miniature of its grid, a search, and a choice of one family.
// Each family is one tab stop, in which arrow keys move. What is searched is in the page's address.

import { make, mounting, movedTo, written } from "./elements.js";
import { Miniature } from "./miniature.js";

// What the colours mean; the classes are in the style sheet.
const KEYS = [
  ["v", "verifier or judge"],
  ["p1", "first expert"],
  ["p2", "second expert"],
  ["p3", "other seats"],
  ["chance", "chance"],
  ["lane", "reads or waits"],
  ["may", "may decide"],
];
const WAIT = 6000; // ms until a link is followed that nobody has handled

class Gallery {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.pictures = [];
    this.families = [];
    this.scrolled = []; // what is scrolled back once a protocol's page takes the gallery's place
    this.filters = make("div", {
      class: "filters",
      role: "group",
      "aria-label": "Family",
      onkeydown: (event) => move(event, [...this.filters.children]),
    });
    this.search = make("input", {
      type: "search",
      placeholder: "Search, such as “quotes”",
      "aria-label": "Search protocols",
      maxlength: 80,
      oninput: () => this.filter(this.family),
    });
    this.count = make("p", { class: "count", role: "status" });
    this.list = make("div", { class: "list" });
    const keys = KEYS.map(([kind, words]) =>
      make("span", {}, make("i", { class: kind, "aria-hidden": "true" }), words),
    );
    root.replaceChildren(
      make("div", { class: "tools" }, this.filters, this.search),
      make("p", { class: "key" }, ...keys, make("span", { text: "Time runs to the right." })),
      this.count,
      this.list,
    );
  }

  destroy() {
    clearTimeout(this.waiting);
    for (const picture of this.pictures) picture.destroy();
    toTop(this.scrolled);
    this.root.replaceChildren();
  }

  // `base` is the beginning of a protocol's address. `family` and `search` are only the first ones:
  // later the browser knows better than the page. With `writes`, they go into the address.
  show(data) {
    if (this.shown === JSON.stringify(data.families)) return;
    const first = this.shown === undefined;
    this.isSmall = matchMedia("(max-width: 699px)").matches;
    this.shown = JSON.stringify(data.families);
    this.base = data.base;
    this.writes = data.writes;
    for (const picture of this.pictures) picture.destroy();
    this.pictures = [];
    this.families = data.families.map((family) => this.section(family));
    const all = data.families.reduce((sum, { cards }) => sum + cards.length, 0);
    this.filters.replaceChildren(
      ...[
        ["", "All", all],
        ...data.families.map(({ name, cards }) => [name, name, cards.length]),
      ].map(([name, title, number]) =>
        make(
          "button",
          { type: "button", "data-name": name, onclick: () => this.filter(name) },
          title,
          " ",
          make("small", { text: String(number) }),
        ),
      ),
    );
    this.list.replaceChildren(...this.families.map(({ section }) => section));
    if (first) this.search.value = data.search;
    this.filter(first ? data.family : this.family, false);
  }

  section({ name, about, cards }) {
    const made = cards.map((card) => this.card(card));
    const list = make("ul", {
      "aria-label": name,
      onkeydown: (event) => move(event, shownIn(list)),
    });
    list.append(...made.map(({ item }) => item));
    const head = make("div", {}, make("h2", { text: name }), make("p", { text: about }));
    return { name, cards: made, section: make("section", { class: "family" }, head, list) };
  }

  card({ name, title, note, words, drawing }) {
    const picture = make("span", { class: "picture" });
    const miniature = new Miniature(picture);
    this.pictures.push(miniature);
    miniature.show({ drawing, most: 26, height: this.isSmall ? 50 : 62 });
    const link = make(
      "a",
      { href: this.base + encodeURIComponent(name), onclick: (event) => this.open(event, name) },
      picture,
      make("b", { text: title }),
      make("small", { text: note }),
    );
    return { words, link, item: make("li", {}, link) };
  }

  // A click goes on without a reload; one with a modifier key opens a tab, as for any link.
  open(event, name) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { href } = event.currentTarget;
    if (this.send("open", { name, href })) return toTop(around(this.root));
    this.scrolled = around(this.root);
    event.currentTarget.setAttribute("aria-busy", "true");
    // The host reads the address; `pushState` makes a step for the browser's Back.
    history.pushState(history.state, "", href);
    this.waiting = setTimeout(() => location.assign(href), WAIT);
  }

  filter(name, note = true) {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.family = this.families.some((each) => each.name === name) ? name : "";
    let number = 0;
    for (const { name: own, cards, section } of this.families) {
      const found = cards.filter((card) => {
        const fits =
          (!this.family || own === this.family) && words.every((word) => card.words.includes(word));
        card.item.hidden = !fits;
        return fits;
      });
      section.hidden = !found.length;
      found.forEach((card, place) => {
        card.link.tabIndex = place ? -1 : 0;
      });
      number += found.length;
    }
    for (const button of this.filters.children) {
      const chosen = button.dataset.name === this.family;
      button.setAttribute("aria-pressed", chosen);
      button.tabIndex = chosen ? 0 : -1;
    }
    const none = "No protocol matches. Try fewer words, such as “judge” or “Khan”.";
    written(this.count, !number ? none : words.length ? `${number} found` : "");
    if (note && this.writes) this.write();
  }

  // Every letter replaces the one before in the address, so that Back leaves the gallery.
  write() {
    const address = new URL(location.href);
    const entries = { family: this.family, search: this.search.value.trim() };
    for (const [name, text] of Object.entries(entries)) {
      if (text) address.searchParams.set(name, text);
      else address.searchParams.delete(name);
    }
    history.replaceState(history.state, "", address);
  }
}

// The elements that an element is in, also outside of its shadow root.
function around(element) {
  const above = element.parentElement ?? element.getRootNode().host;
  return above ? [above, ...around(above)] : [];
}

function toTop(elements) {
  for (const each of elements) each.scrollTop = 0;
}

function shownIn(list) {
  return [...list.children].filter((item) => !item.hidden).map((item) => item.firstElementChild);
}

// Arrow keys move the focus among things of which one is reached by Tab.
function move(event, things) {
  const now = things.indexOf(event.target.closest("a, button"));
  const next = movedTo(event, things, now);
  if (!next) return;
  for (const thing of things) thing.tabIndex = thing === next ? 0 : -1;
  next.focus();
}

export const mount = mounting(Gallery);
