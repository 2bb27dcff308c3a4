// A whole drawing fitted to the available room: still, or highlighting one round after the other.

import { draw, drawCells, flat, layOut, measuring, onLetters, readDrawing } from "./drawing.js";
import { mounting, svg } from "./elements.js";
import { isDark, onLight } from "./light.js";

const PACE = 900; // ms

export class Miniature {
  // `laidOut` is called with the columns' positions whenever they may have changed.
  /** @param {Send} send @param {(layout: any) => void} laidOut */
  constructor(root, send = () => {}, laidOut = () => {}) {
    this.root = root;
    this.measure = null;
    this.send = send;
    this.laidOut = laidOut;
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(root);
    this.deaf = [onLight(() => this.fit()), onLetters(() => this.fit())];
    root.addEventListener("click", (event) => this.click(event));
  }

  destroy() {
    clearInterval(this.timer);
    for (const end of this.deaf) end();
    this.watcher.disconnect();
  }

  // `selected`: the framed round, later ones are pale; `plays`: go from round to round; `picks`:
  // report a clicked round. `most`: the largest width of a round; drawings higher than `height` are
  // compressed.
  show({
    drawing,
    title = "",
    most = null,
    height = null,
    selected = null,
    plays = false,
    picks = false,
  }) {
    if (drawing !== this.plain) this.drawing = readDrawing(drawing);
    this.plain = drawing;
    this.drawing.most = most ?? this.drawing.most;
    this.most = height;
    this.selected = selected;
    this.picks = picks;
    this.title = title;
    clearInterval(this.timer);
    if (plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.timer = setInterval(
        () => this.light((this.selected === null ? 0 : this.selected + 1) % this.drawing.columns),
        PACE,
      );
    }
    this.fit();
  }

  light(round) {
    this.selected = round;
    this.send("round", round);
    this.fit();
  }

  fit() {
    const room = this.root.clientWidth;
    if (!this.drawing || !room) return;
    this.measure ??= measuring(this.root);
    this.layout = layOut(this.drawing, room, { whole: true });
    const { left, width, column } = this.layout,
      { height } = this.drawing;
    const parts = flat(this.drawing, this.layout, isDark(this.root), this.measure, this.selected);
    // Half of the frame around the first or the last round is outside of it.
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height: Math.min(height, this.most ?? height),
      preserveAspectRatio: "none",
      overflow: "visible",
      role: "img",
      "aria-label": this.title,
    });
    if (!this.title) picture.setAttribute("aria-hidden", "true");
    picture.append(
      ...draw([...parts.fixed, ...parts.moving]),
      ...drawCells(parts.cells),
      ...draw(parts.numbers),
    );
    if (this.selected !== null) {
      const x = left + (this.selected + 1) * column;
      const later = this.drawing.bands.map(([y, high]) =>
        svg("rect", { class: "later", x, y, width: Math.max(0, width - x), height: high }),
      );
      picture.append(...later, ...draw(parts.frame));
    }
    picture.style.display = "block";
    this.root.replaceChildren(picture);
    this.laidOut(this.layout);
  }

  click(event) {
    if (!this.picks) return;
    const x = event.clientX - this.root.getBoundingClientRect().left - this.layout.left;
    const round = Math.floor(x / this.layout.column);
    if (round >= 0 && round < this.drawing.columns) this.light(round);
  }
}

export const mount = mounting(Miniature);
