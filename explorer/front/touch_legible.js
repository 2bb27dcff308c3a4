// Worked solutions by a helpful or a sneaky prover: find the wrong line, in small steps or in long ones.

import { make, svg, written } from "./elements.js";
import { handle, Stage } from "./touch.js";

const WIDE = 334, LEFT = 12, ROW = 36, MOST = 6;

export function mount(root) {
  const game = new Legible(root);
  return { show: (data) => game.show(data), destroy: () => game.stage.destroy() };
}

class Legible {
  constructor(root) {
    this.stage = new Stage(root, { width: WIDE, height: MOST * ROW, name: "A worked solution" });
    this.task = make("p");
    this.stage.stage.prepend(this.task);
    this.fine = this.stage.button("All lines are right", () => this.grade(null));
    this.next = this.stage.button("Next solution", () => this.go());
  }

  show(data) {
    if (this.data) return;
    this.data = data;
    // Long lines and small steps: right, all, seconds.
    this.results = [[0, 0, 0], [0, 0, 0]];
    this.place = Math.floor(Math.random() * (data.solutions.length / 2)) * 2 - 1;
    this.draw();
    this.go();
  }

  draw() {
    this.rows = Array.from({ length: MOST }, (_, row) => {
      const box = svg("rect", { x: LEFT, y: row * ROW + 2, width: WIDE - 2 * LEFT, height: ROW - 5, rx: 6, class: "step" });
      const text = svg("text", { x: LEFT + 12, y: row * ROW + 22, "font-size": 15 });
      const group = svg("g", {}, box, text, svg("rect", { x: LEFT - 3, y: row * ROW - 1, width: WIDE - 2 * LEFT + 6, height: ROW + 1, rx: 8, class: "ring" }));
      this.stage.svg.append(group);
      handle(this.stage, group, "", { tap: () => row < this.now.lines.length && this.grade(row) });
      return { group, box, text };
    });
  }

  go() {
    this.place = (this.place + 1) % this.data.solutions.length;
    this.now = this.data.solutions[this.place];
    this.named = undefined;
    this.began = performance.now();
    this.update();
  }

  grade(line) {
    if (this.named !== undefined) return;
    this.named = line;
    const result = this.results[Number(this.now.small)];
    result[0] += line === this.now.wrong;
    result[1] += 1;
    result[2] += (performance.now() - this.began) / 1000;
    this.update();
  }

  update() {
    const { task, lines, wrong } = this.now, over = this.named !== undefined;
    written(this.task, task);
    this.rows.forEach(({ group, box, text }, row) => {
      group.style.display = row < lines.length ? "" : "none";
      group.setAttribute("aria-label", `Line ${row + 1}: ${lines[row] ?? ""}. It is wrong`);
      written(text, lines[row] ?? "");
      box.setAttribute("class", `step${over && row === wrong ? " slip" : over && row === this.named ? " named" : ""}`);
    });
    this.stage.svg.setAttribute("viewBox", `0 0 ${WIDE} ${lines.length * ROW}`);
    this.fine.hidden = over;
    this.next.hidden = !over;
    this.stage.say(this.words(over, wrong));
  }

  words(over, wrong) {
    const how = ["long lines", "small steps"];
    const score = this.results.map(([right, all, seconds], small) => (all ? `${how[small]}: ${right} of ${all} right, ${Math.round(seconds / all)} seconds each` : "")).filter(Boolean).reverse().join("; ");
    if (!over) return `A coin made the prover helpful or sneaky. Each line goes on from the one before, and a sneaky solution has one slip. Tap the wrong line, or say that all are right.${score ? ` So far ${score}.` : ""}`;
    const truth = wrong === null ? "The prover was helpful: all lines are right" : `The prover was sneaky: line ${wrong + 1} is wrong`;
    return `${this.named === wrong ? "Right." : "No."} ${truth}. So far ${score}.`;
  }
}
