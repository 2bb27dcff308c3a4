// One picture for each place in the page; Streamlit calls this again whenever its data changes.

const pictures = new WeakMap();
const IDLE = 120; // ms without another key before the page hears of a new round

export default function ({ parentElement, data, setTriggerValue }) {
  let picture = pictures.get(parentElement);
  if (!picture) {
    picture = new Picture(parentElement);
    pictures.set(parentElement, picture);
  }
  picture.show(data, setTriggerValue);
  return () => picture.stop();
}

class Picture {
  constructor(root) {
    this.view = root.querySelector(".view");
    this.canvas = root.querySelector("canvas");
    this.spacer = root.querySelector(".spacer");
    this.detail = root.querySelector(".detail");
    this.tip = root.querySelector(".tip");
    this.root = root;
    this.selected = -1;
    this.view.addEventListener("scroll", () => this.draw());
    this.view.addEventListener("pointermove", (event) => this.point(event));
    this.view.addEventListener("pointerleave", () => this.point(null));
    this.view.addEventListener("click", (event) => this.click(event));
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.view.addEventListener("focus", () => this.draw());
    this.view.addEventListener("blur", () => this.draw());
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.view);
  }

  stop() {
    clearTimeout(this.later);
    cancelAnimationFrame(this.frame);
    this.watcher.disconnect();
    pictures.delete(this.root);
  }

  show({ picture, selected, pick }, send) {
    this.send = send;
    // An older answer of the page must not undo a newer choice made here.
    if (!this.pick || pick === this.pick) {
      this.pick = null;
      this.moved = selected !== this.selected;
      this.selected = selected;
    }
    const look = JSON.stringify(colours(this.view));
    if (picture === this.picture && look === this.known) {
      // Most often the page only says that it has heard of a click.
      if (this.moved) this.follow();
      return;
    }
    this.known = look;
    this.picture = picture;
    this.data = JSON.parse(picture);
    this.view.setAttribute("aria-label", this.data.title);
    const lanes = this.data.bands.flatMap((band) => band.lanes);
    const used = new Set(lanes.flatMap((lane) => [...lane.cells, lane.differs && "differs"]));
    for (const key of this.root.querySelectorAll("[data-codes]")) {
      key.hidden = !key.dataset.codes.split(" ").some((code) => used.has(code));
    }
    this.fit();
  }

  fit() {
    if (!this.data) return;
    const width = this.view.clientWidth;
    const context = this.canvas.getContext("2d");
    this.look = colours(this.view);
    context.font = `600 12px ${this.look.font}`;
    this.layout = layOut(this.data, width, (text) => context.measureText(text).width);
    const ratio = window.devicePixelRatio || 1;
    const { height } = this.layout;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    Object.assign(this.spacer.style, { width: `${this.layout.width}px`, height: `${height}px` });
    const lanes = this.layout.lanes.length;
    if (!this.cursor || this.cursor.lane >= lanes || this.cursor.round >= this.data.rounds) {
      const speaking = this.layout.lanes.findIndex((lane) => lane.cells[this.selected] === "s");
      this.cursor = { lane: Math.max(0, speaking), round: this.selected };
    }
    this.follow();
  }

  // Go where the page is.
  follow() {
    if (this.moved) {
      this.cursor.round = this.selected;
      this.bringIntoView();
      this.moved = false;
    }
    this.tell();
    this.draw();
  }

  bringIntoView() {
    const { left, cell } = this.layout;
    const from = this.selected * cell, room = this.view.clientWidth - left;
    const inside = from >= this.view.scrollLeft && from + cell <= this.view.scrollLeft + room;
    if (!inside) this.view.scrollLeft = from + cell / 2 - room / 2;
  }

  // At the next frame, so that what was sent is on its way before.
  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.paint();
    });
  }

  paint() {
    if (!this.layout) return;
    const ratio = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const focused = this.view.matches(":focus-visible");
    paint(context, this.data, this.layout, this.look, {
      scroll: this.view.scrollLeft,
      width: this.view.clientWidth,
      selected: this.selected,
      hover: this.hover,
      cursor: focused ? this.cursor : null,
    });
  }

  under(event) {
    const place = this.canvas.getBoundingClientRect();
    const x = event.clientX - place.left, y = event.clientY - place.top;
    if (x < this.layout.left) return null;
    return cellAt(this.data, this.layout, x + this.view.scrollLeft, y);
  }

  point(event) {
    this.hover = event && event.pointerType === "mouse" ? this.under(event) : null;
    this.tip.hidden = !this.hover;
    if (this.hover) {
      const { head, facts } = describe(this.data, this.layout.lanes[this.hover.lane], this.hover.round);
      this.tip.replaceChildren(element("strong", head), element("span", facts));
      const outer = this.view.parentElement.getBoundingClientRect();
      const x = event.clientX - outer.left, y = event.clientY - outer.top;
      const flip = x > outer.width / 2;
      Object.assign(this.tip.style, {
        top: `${y + 18}px`,
        left: flip ? "auto" : `${x + 12}px`,
        right: flip ? `${outer.width - x + 12}px` : "auto",
      });
    }
    this.draw();
  }

  click(event) {
    const cell = this.under(event);
    if (cell) this.choose(cell, 0);
  }

  key(event) {
    const { lane, round } = this.cursor;
    const lanes = this.layout.lanes.length, rounds = this.data.rounds;
    const to = {
      ArrowLeft: [lane, round - 1],
      ArrowRight: [lane, round + 1],
      ArrowUp: [lane - 1, round],
      ArrowDown: [lane + 1, round],
      Home: [lane, 0],
      End: [lane, rounds - 1],
      PageUp: [0, round],
      PageDown: [lanes - 1, round],
    }[event.key];
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.point(null);
    const inside = (value, size) => Math.max(0, Math.min(size - 1, value));
    this.choose({ lane: inside(to[0], lanes), round: inside(to[1], rounds) }, IDLE);
  }

  // Paint the choice without waiting for the page, which follows.
  choose(cell, wait) {
    this.cursor = cell;
    if (cell.round !== this.selected) {
      this.selected = cell.round;
      this.pick = `${Date.now()}`;
      clearTimeout(this.later);
      const choice = { round: cell.round, pick: this.pick };
      if (wait) this.later = setTimeout(() => this.send("pick", choice), wait);
      else this.send("pick", choice);
      this.bringIntoView();
    }
    this.tell();
    this.draw();
  }

  tell() {
    const { head, facts } = describe(this.data, this.layout.lanes[this.cursor.lane], this.cursor.round);
    const words = `${head}. ${facts}`;
    if (this.detail.textContent === words) return;
    this.detail.replaceChildren(element("strong", `${head}. `), element("span", facts));
  }
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
