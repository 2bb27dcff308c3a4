// A grid drawn small: still, or lighting one round after the other.

import { draw, drawCells, flat, isDark, layOut, onColours, readDrawing, svgElement } from "./drawing.js";

const PACE = 900; // ms

export function mount(root, send) {
  const miniature = new Miniature(root, send);
  return { show: (data) => miniature.show(data), destroy: () => miniature.destroy() };
}

export class Miniature {
  constructor(root, send = () => {}) {
    this.root = root;
    this.send = send;
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(root);
    this.deaf = onColours(() => this.fit());
    root.addEventListener("click", (event) => this.click(event));
  }

  destroy() {
    clearInterval(this.timer);
    this.deaf();
    this.watcher.disconnect();
  }

  // `selected`: the round that is framed, later ones are faint; `plays`: go from round to round;
  // `picks`: send a round that is clicked on.
  // `most`: how wide a round may be; what is higher than `height` is pressed together.
  show({ drawing, title = "", most = null, height = null, selected = null, plays = false, picks = false }) {
    this.drawing = readDrawing(drawing);
    this.drawing.most = most ?? this.drawing.most;
    this.most = height;
    this.selected = selected;
    this.picks = picks;
    this.title = title;
    clearInterval(this.timer);
    if (plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.timer = setInterval(() => this.light((this.selected === null ? 0 : this.selected + 1) % this.drawing.columns), PACE);
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
    this.layout = layOut(this.drawing, room, { whole: true });
    const { width, column } = this.layout, { height } = this.drawing;
    const parts = flat(this.drawing, this.layout, isDark(this.root), () => 0, this.selected);
    const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height: Math.min(height, this.most ?? height), preserveAspectRatio: "none", role: "img", "aria-label": this.title });
    if (!this.title) svg.setAttribute("aria-hidden", "true");
    svg.append(...drawCells(parts.cells));
    if (this.selected !== null) {
      const x = (this.selected + 1) * column;
      svg.append(svgElement("rect", { class: "later", x, y: 0, width: Math.max(0, width - x), height }), ...draw(parts.frame));
    }
    svg.style.display = "block";
    this.root.replaceChildren(svg);
  }

  click(event) {
    if (!this.picks) return;
    const x = event.clientX - this.root.getBoundingClientRect().left;
    const round = Math.floor(x / this.layout.column);
    if (round >= 0 && round < this.drawing.columns) this.light(round);
  }
}
