// A hundred cats and a hundred dogs: spread the marks, and see what a mark still means.

import { set, written } from "./elements.js";
import { COUNT, flag, playable, Stage, Track, whole } from "./touch.js";
import { percentOf, tr } from "./words.js";

const WIDE = 334,
  HIGH = 336,
  TALL = 388,
  DOT = 14,
  TOP = 26,
  LEFT = 14,
  RIGHT = 182,
  GAUGES = 196,
  BAR = 124,
  ACROSS = 192,
  TRACKS = [316, 366];

class Marks {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: HIGH,
      name: tr("Cats and dogs with marks"),
    });
    this.kind = this.heap = this.seen = this.cats = 0;
    this.tried = false;
    this.last = "cat";
    this.look = this.stage.button(tr("Show me one with mark A"), () => this.draw1());
  }

  show(data) {
    this.data = data;
    const fields = {
      kind: whole(data.worlds.length - 1),
      heap: COUNT,
      seen: COUNT,
      cats: COUNT,
      tried: flag,
      last: (animal) => animal === "cat" || animal === "dog",
    };
    this.stage.keep(
      data.keep,
      this,
      fields,
      ({ kind, heap }) => heap < data.worlds[kind].dogs.length,
    );
    this.draw();
    this.update();
  }

  get world() {
    return this.data.worlds[this.kind];
  }

  draw() {
    const part = (...given) => this.stage.part(...given);
    this.animals = [0, 1].map((side) => {
      written(
        part("text", { x: side ? RIGHT : LEFT, y: 15, "font-size": 13, class: "quiet" }),
        side ? tr("{n} dogs", { n: this.data.each }) : tr("{n} cats", { n: this.data.each }),
      );
      return Array.from({ length: this.data.each }, (_, n) => {
        const x = (side ? RIGHT : LEFT) + 6 + DOT * (n % 10),
          y = TOP + 6 + DOT * Math.floor(n / 10);
        // A cat has ears and a dog is round, so colour is not the only difference.
        return part("path", {
          d: side
            ? `M${x - 4.5} ${y} a4.5 4.5 0 1 0 9 0 a4.5 4.5 0 1 0 -9 0 Z`
            : `M${x - 4.5} ${y + 4.5} V${y - 4.5} L${x} ${y - 1} L${x + 4.5} ${y - 4.5} V${y + 4.5} Z`,
        });
      });
    });
    this.gauges = ["", "", "", ""].map((_, row) => {
      const y = GAUGES + 24 * row;
      const label = part("text", { x: LEFT, y: y + 4, "font-size": 12, class: "quiet" });
      part("rect", { x: ACROSS, y: y - 7, width: BAR, height: 13, rx: 2, class: "gauge" });
      return { label, bar: part("rect", { x: ACROSS, y: y - 7, height: 13, rx: 2 }) };
    });
    const wide = WIDE - 2 * LEFT;
    this.kinds = new Track(this.stage, {
      x: LEFT,
      y: TRACKS[0],
      wide,
      places: this.data.worlds.length,
      moved: (place) => this.spread(place),
    });
    this.dogs = new Track(this.stage, {
      x: LEFT,
      y: TRACKS[1],
      wide,
      places: 1,
      moved: (place) => this.part(place),
    });
  }

  spread(kind) {
    if (kind === this.kind) return;
    this.kind = kind;
    this.heap = 0;
    this.tried = true;
    this.forget();
  }

  part(heap) {
    if (heap === this.heap) return;
    this.heap = heap;
    this.forget();
  }

  forget() {
    this.seen = this.cats = 0;
    this.update();
  }

  // A random one of the animals with mark A is shown.
  draw1() {
    const { cats, dogs } = this.world,
      all = cats + dogs[0];
    this.last = Math.floor(Math.random() * all) < cats ? "cat" : "dog";
    this.seen += 1;
    this.cats += Number(this.last === "cat");
    this.update();
  }

  update() {
    const { kinds, cats, dogs, precision, promised } = this.world,
      marked = dogs[this.heap];
    const [theCats, theDogs] = this.animals,
      complete = Math.round(this.data.complete * this.data.each);
    const kindOf = (has, any) => (has ? "has" : any ? "also" : "faint");
    theCats.forEach((animal, n) =>
      animal.setAttribute("class", `cat ${kindOf(n < cats, n < complete)}`),
    );
    theDogs.forEach((animal, n) =>
      animal.setAttribute("class", `dog ${kindOf(n < dogs[0], n < marked)}`),
    );
    const percent = (share) => percentOf(share);
    [
      [tr("Cats with any mark (c)"), this.data.complete, ""],
      [tr("Dogs with any mark (s)"), marked / this.data.each, ""],
      ["c/(c + s)", promised[this.heap], ""],
      [
        tr("With mark A: cats"),
        precision,
        precision + 0.005 < promised[this.heap] ? " false" : " true",
      ],
    ].forEach(([name, share, how], row) => {
      const { label, bar } = this.gauges[row];
      written(label, `${name}: ${percent(share)}`);
      set(bar, { width: BAR * share, class: `full${how}` });
    });
    this.kinds.show(this.kind, tr("Kinds of mark: {n}", { n: kinds }));
    this.dogs.places = dogs.length;
    this.dogs.show(this.heap, tr("Dogs with marks: {n}", { n: marked }));
    // At first, only one handle and one button are shown.
    const apart = this.tried && dogs.length > 1;
    this.dogs.group.style.display = apart ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 ${WIDE} ${apart ? TALL : HIGH}`);
    this.stage.say(this.words(percent));
  }

  words(percent) {
    const seen = { cats: this.cats, seen: this.seen };
    const drawn = !this.seen
      ? ""
      : this.last === "cat"
        ? tr("This one is a cat; {cats} of {seen} were cats.", seen)
        : tr("This one is a dog; {cats} of {seen} were cats.", seen);
    return `${drawn} ${this.meaning(percent)}`.trim();
  }

  meaning(percent) {
    const { kinds, cats, dogs, precision, promised } = this.world,
      marked = dogs[this.heap];
    const has = tr("{cats} cats and {dogs} dogs have mark A (outlined)", { cats, dogs: dogs[0] }),
      is = percent(precision),
      promise = percent(promised[this.heap]);
    if (kinds === 1)
      return tr(
        "{has}: {is} are cats. You are the foe. Keep both success rates, and make the mark worthless: drag “Kinds of mark”.",
        { has, is },
      );
    if (!this.heap)
      return tr(
        "{has}: {is} are cats, not the {promise} of c/(c + s). Each of the {kinds} marks is on other cats, but all of them are on the same ten dogs. Now spread those over more dogs.",
        { has, is, promise, kinds },
      );
    if (this.heap === dogs.length - 1)
      return tr(
        "{has}, as before. But the foe now fools you with {marked} dogs, and c/(c + s) is {promise}, which is true again. The two rates do not reveal marks that are all on the same dogs.",
        { has, marked, promise },
      );
    return tr(
      "{has}, as before. But the foe now fools you with {marked} dogs, and c/(c + s) falls to {promise}. The two rates do not reveal marks that are all on the same dogs.",
      { has, marked, promise },
    );
  }
}

export const mount = playable(Marks);
