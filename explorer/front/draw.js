// The editor of a protocol. What a person does is a gesture, painted at once and sent over the
// window's connection; the answer replaces what was painted. The browser keeps the history, too.

import { Connection } from "./connection.js";
import { Beside } from "./draw_beside.js";
import { Dialogs } from "./draw_dialogs.js";
import { button, counted, typed } from "./draw_fields.js";
import { Game } from "./draw_game.js";
import { Grid } from "./draw_grid.js";
import { keyInGrid } from "./draw_keys.js";
import { Looks } from "./draw_looks.js";
import { Panel } from "./draw_panel.js";
import { Payments } from "./draw_pay.js";
import { Refusals } from "./draw_refusal.js";
import { Source } from "./draw_text.js";
import { Whole } from "./draw_whole.js";
import { onLetters } from "./drawing.js";
import { make, mounting, written } from "./elements.js";
import { isDark, onLight } from "./light.js";
import { keep, recall } from "./memory.js";

const KEPT = "nip-drawing/";
const NEW = { add_seat: "seat", add_part: "part", add_stage: "stage", add_channel: "channel" };
const LISTS = {
  seat: "seats",
  channel: "channels",
  part: "parts",
  choice: "choices",
  value: "values",
};
const PARTS = ["question", "solution", "passage"];
const SHOWN = 9000; // milliseconds of a message with a button
const LOOK = 300; // milliseconds between looks at values that a notebook's kernel has computed
const MEET = 1500; // milliseconds until what another tab did is here, if it is on the same server

class Editor {
  constructor(root, send) {
    this.root = root;
    this.screen = null;
    this.data = null;
    this.pick = null; // what the panel is about
    this.waiting = new Map(); // requests without an answer, by their marks
    this.leaving = null; // a click on Play that waits for these answers
    this.numbers = 0;
    this.restoring = false;
    this.copied = null; // a block of cells
    this.renaming = null; // what was renamed last, and where it is in its list
    this.folds = new Set(); // what was unfolded in the panels
    this.build();
    this.send = send;
    this.connection = null; // in a notebook there is none
    this.ends = [onLight(() => this.recolour()), onLetters(() => this.grid.fit())];
    this.pressed = (event) => this.key(event);
    root.ownerDocument.addEventListener("keydown", this.pressed);
    this.stored = (event) => event.key === KEPT + this.screen?.place && this.meet();
    addEventListener("storage", this.stored);
  }

  destroy() {
    clearTimeout(this.hiding);
    clearTimeout(this.meeting);
    removeEventListener("storage", this.stored);
    this.root.ownerDocument.removeEventListener("keydown", this.pressed);
    for (const end of this.ends) end();
    clearTimeout(this.looking);
    this.connection?.destroy();
    this.grid.destroy();
    this.source.destroy();
    this.game.destroy();
    this.looks.destroy();
  }

  build() {
    this.grid = new Grid(this);
    this.panelView = new Panel(this);
    this.panel = this.panelView.root;
    this.payments = new Payments(this);
    this.beside = new Beside(this);
    this.dialogs = new Dialogs(this);
    this.source = new Source(this);
    this.whole = new Whole(this);
    this.game = new Game(this);
    this.looks = new Looks(this);
    this.refusals = new Refusals(this);
    this.name = typed(
      "Name of the protocol",
      "",
      (title) => title && this.do("call_protocol", { title }),
      {
        class: "name",
        spellcheck: "false",
      },
    );
    this.undo = button("↶", "icon", () => this.move("undo"), "Undo (Ctrl+Z)");
    this.redo = button("↷", "icon", () => this.move("redo"), "Redo (Ctrl+Y)");
    this.play = make("a", { class: "button main", text: "Play" });
    this.play.addEventListener("click", (event) => this.leave(event));
    const tools = make(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Drawing" },
      button("Begin …", "", () => this.dialogs.begin()),
      button("Try a change …", "", () => this.dialogs.changes()),
      this.undo,
      this.redo,
      button("Share", "", () => this.dialogs.keeping.share()),
      this.game.open,
      this.play,
    );
    this.back = make(
      "nav",
      { class: "back", "aria-label": "Back" },
      "← ",
      make("a", { href: "/protocols", text: "Protocols" }),
    );
    this.sentence = make("button", { class: "sentence", type: "button", title: "Show all of it" });
    this.sentence.addEventListener("click", () => this.sentence.classList.toggle("all"));
    this.adders = make(
      "div",
      { class: "adders", role: "toolbar", "aria-label": "Add" },
      button("+ Seat", "", () => this.do("add_seat", {})),
      button("+ Channel", "", () => this.do("add_channel", { title: "Channel" })),
      button("+ Stage", "", () => this.addStage(this.facts.stages.length)),
      button("+ Choice", "", () => this.dialogs.choice()),
      button("+ Task part", "", () =>
        // Bundled tasks have these parts.
        this.do("add_part", { title: PARTS.find((one) => !this.thing("part", one)) ?? "part" }),
      ),
      this.looks.place,
    );
    this.toast = make("div", { class: "toast", role: "alert", hidden: true });
    this.spoken = make("p", { class: "spoken", role: "status" });
    const { beside, source } = this;
    this.frame = make("div", { class: "editor" });
    this.root.replaceChildren(this.frame);
    this.frame.append(
      this.back,
      make("header", {}, make("h1", {}, this.name), tools),
      this.sentence,
      make(
        "div",
        { class: "body" },
        make(
          "div",
          { class: "left" },
          this.grid.root,
          this.adders,
          this.looks.prompt,
          this.game.root,
          beside.remarks,
          this.payments.root,
          this.whole.root,
          this.looks.fold,
          source.fold,
          source.past,
        ),
        make("aside", {}, this.panel, beside.worth, beside.ideas),
      ),
      this.toast,
      this.spoken,
      source.file,
      this.dialogs.root,
    );
    this.dialogs.root.addEventListener("close", () => this.frame.append(this.toast));
  }

  // -- from the server --------------------------------------------------------------------------

  show(data) {
    this.data = data;
    const { screen, address } = data;
    for (const one of [this.back, this.play, this.game.open]) one.hidden = !address;
    if (!address) return this.showHere(data);
    if (!this.screen || screen.place !== this.screen.place || screen.version > this.screen.version)
      this.take(screen);
    this.writeAddress();
    this.connection ??= new Connection(this.root, this.send, {
      received: (message) => this.received(message),
      opened: () => this.deliver(),
      typed: () => this.waiting.size > 0,
    });
    return this.connection.show({ address, known: ["drawing"] });
  }

  // In a notebook the kernel answers, and is asked for values until they are computed.
  showHere({ screen, answers }) {
    if (screen !== this.screen) this.take(screen);
    for (const answer of answers) if (this.waiting.has(answer.mark)) this.answered(answer);
    clearTimeout(this.looking);
    if (!screen.worth.done) this.looking = setTimeout(() => this.send("look"), LOOK);
  }

  get isApp() {
    return Boolean(this.data.address);
  }

  received({ seat, answer }) {
    // A screen with a place is complete; without one, it contains only the changes.
    if (seat) this.take(seat.place ? seat : { ...this.screen, ...seat });
    if (answer) this.answered(answer);
  }

  take(screen) {
    const before = this.screen;
    this.screen = screen;
    this.dark = isDark(this.root);
    if (!before || screen.drawing !== before.drawing) {
      this.settlePick();
      this.grid.take(screen.drawing);
      this.grid.settle();
    }
    this.draw();
    this.dialogs.took();
    if (!this.isApp) return;
    if (screen.new) this.restore();
    else if (!before || before.kept !== screen.kept) keep(KEPT + screen.place, screen.kept);
    if (!before && screen.empty && !recall(KEPT + screen.place)) this.dialogs.begin();
  }

  draw() {
    const { screen } = this,
      { history, links, title } = screen;
    const active = this.root.getRootNode().activeElement;
    if (active !== this.name) this.name.value = this.name.defaultValue = title;
    written(this.sentence, screen.sentence);
    this.undo.disabled = history.at < 1;
    this.redo.disabled = history.at >= history.first + history.steps.length;
    if (links.play) this.play.href = links.play;
    else this.play.removeAttribute("href");
    this.panelView.draw();
    this.payments.draw();
    this.whole.draw();
    this.beside.draw();
    this.source.draw();
    this.game.draw();
    this.looks.draw();
  }

  recolour() {
    if (!this.screen || isDark(this.root) === this.dark) return;
    this.dark = isDark(this.root);
    this.grid.fit();
    this.draw();
  }

  // The server does not know this drawing; this browser may.
  restore() {
    const kept = recall(KEPT + this.screen.place);
    if (kept && !this.restoring) {
      this.restoring = true;
      this.ask({ restore: kept }, () => {
        this.restoring = false;
        this.game.restore();
      });
    }
  }

  // Another tab has kept something else. Usually both hear of it from the same server; if not, what
  // both did is put together.
  meet() {
    clearTimeout(this.meeting);
    this.meeting = setTimeout(() => {
      const kept = recall(KEPT + this.screen.place);
      if (!kept || this.screen.new || kept === this.screen.kept) return;
      this.ask({ merge: kept }, (refused) => {
        if (refused) return this.say(`Another tab shows a different drawing. ${refused.message}`);
        const { words, also } = this.screen.said;
        if (words) this.say([`Another tab: ${words}.`, ...also].join(" "), [this.undoing]);
        return undefined;
      });
    }, MEET);
  }

  // Whether drawings can be kept in a library; in notebooks there is none.
  get isKept() {
    return this.screen.keeps;
  }

  get undoing() {
    return ["Undo", () => this.move("undo")];
  }

  writeAddress() {
    const address = new URL(location.href);
    if (address.searchParams.get("drawing") === this.screen.place) return;
    address.searchParams.set("drawing", this.screen.place);
    history.replaceState(history.state, "", address);
  }

  // -- to the server ----------------------------------------------------------------------------

  // Sends a request until it is answered; `done` gets what was refused, if anything was.
  ask(request, done = null) {
    const mark = `${Date.now().toString(36)}-${this.numbers++}-${Math.random().toString(36).slice(2, 8)}`;
    // What goes on from something must not be done to an empty drawing.
    const goesOn = Boolean(this.screen) && !this.screen.new;
    const text = JSON.stringify({ ...request, goes_on: goesOn && !("restore" in request), mark });
    this.waiting.set(mark, { text, done, request });
    if (this.isApp) this.connection?.ask(text);
    else this.send("ask", JSON.parse(text));
  }

  deliver() {
    for (const { text } of this.waiting.values()) this.connection.ask(text);
  }

  answered({ mark, refused }) {
    const waited = this.waiting.get(mark);
    this.waiting.delete(mark);
    if (!this.waiting.size) {
      this.grid.settle();
      this.grid.mark();
    }
    if (refused?.lost) {
      this.restore();
      return this.ask(waited.request, waited.done);
    }
    waited?.done?.(refused);
    return this.left(refused);
  }

  // The link to Play holds the drawing of the last answer. Followed before the next one, it would
  // play the drawing without what was just done.
  leave(event) {
    if (!this.waiting.size) return;
    event.preventDefault();
    this.leaving = event;
  }

  left(refused) {
    const { leaving } = this;
    if (!leaving || this.waiting.size) return;
    this.leaving = null;
    if (!refused) this.play.dispatchEvent(new MouseEvent("click", leaving));
  }

  do(gesture, given, done = null) {
    const before = this.screen && NEW[gesture] ? new Set(this.names(NEW[gesture])) : null;
    this.source.forget();
    this.refusals.clear();
    const from = this.refusals.from();
    this.ask({ do: gesture, arguments: given }, (refused) => {
      if (refused) return this.refuse(refused, from);
      const { words, also } = this.screen.said;
      this.grid.say(`${words}. ${also.join(" ")}`);
      if (also.length) this.say(`${also.join(" ")}`, [this.undoing]);
      else this.toast.hidden = true;
      if (before) this.nameNew(NEW[gesture], before);
      return done?.();
    });
  }

  refuse({ message, repairs = [] }, from = this.refusals.from()) {
    const buttons = repairs.map(([words, gesture, given]) => [
      words,
      () => this.do(gesture, given),
    ]);
    this.toast.hidden = true;
    this.refusals.show(from, message, buttons);
  }

  move(to) {
    this.source.forget();
    this.refusals.clear();
    this.ask({ move: to }, () => this.grid.say(to === "undo" ? "Undone." : "Done again."));
    this.toast.hidden = true;
  }

  begin(name, more) {
    this.pick = null;
    this.source.forget();
    this.ask({ begin: name, ...more }, (refused) => {
      if (refused) return this.refuse(refused);
      this.grid.toFirst();
      this.grid.mark();
      return this.grid.focus();
    });
  }

  // -- gestures ---------------------------------------------------------------------------------

  toggle({ kind, of, who, stage, turn, on, ...cell }) {
    this.grid.paint({ kind, of, who, on, ...cell });
    this.pick = { kind: "cell" };
    this.grid.bring();
    const at = { stage, turn, on: !on };
    if (kind === "channel") return this.do("write", { seat: who, channel: of, ...at });
    return this.do("choose", { choice: of, ...at });
  }

  see(kind, name, seat, on) {
    this.do("see", { kind, name, seat, since: on ? "start" : null });
  }

  repeat(stage, times) {
    if (times >= 1) this.do("repeat", { stage, times });
  }

  addTurn(stage, turn) {
    const row = this.grid.identity();
    this.do("add_turn", { stage, turn }, () => {
      this.grid.find({ ...row, place: [stage, turn], column: this.grid.cursor.column });
      this.pick = { kind: "turn", stage, turn };
      this.reselect();
    });
  }

  addStage(stage) {
    this.do("add_stage", { stage, title: "part" });
  }

  // A stage goes along with its only turn, so that nothing that names it is lost.
  moveTurn(stage, turn, toStage, toTurn) {
    const { stages } = this.facts;
    const edge = toTurn === 0 || toTurn === stages[toStage].turns;
    if (stages[stage].turns === 1 && toStage !== stage && edge) {
      const to = toStage + (toTurn === 0 ? 0 : 1);
      return this.moveStage(stage, to > stage ? to - 1 : to);
    }
    return this.do("move_turn", { stage, turn, to_stage: toStage, to_turn: toTurn }, () =>
      this.goTo(toStage, toTurn),
    );
  }

  moveStage(stage, to) {
    this.do("move_stage", { stage, to }, () => {
      if (this.pick?.kind === "stage") this.pick = { kind: "stage", stage: to };
      this.reselect();
    });
  }

  shift(stage, turn, by) {
    const { stages } = this.facts,
      { turns } = stages[stage];
    if (turn + by >= 0 && turn + by < turns) return this.moveTurn(stage, turn, stage, turn + by);
    const other = stage + by;
    if (!stages[other]) return undefined;
    return this.moveTurn(stage, turn, other, by > 0 ? 0 : stages[other].turns);
  }

  // The name in the document may follow a title.
  call(kind, name, title) {
    this.renamed(kind, name, { do: "call", given: { kind, name, title } });
  }

  rename(kind, name, text) {
    this.renamed(kind, name, { do: "rename", given: { kind, name, new: text } });
  }

  // What is selected stays selected under its new name: it is at the same place in its list.
  renamed(kind, name, { do: gesture, given }) {
    const list = kind === "stage" ? "stages" : LISTS[kind];
    this.renaming = { kind, name, list, at: this.names(kind).indexOf(name) };
    this.do(gesture, given, () => {
      this.renaming = null;
      this.reselect();
    });
  }

  remove(kind, name) {
    this.do("remove", { kind, name });
  }

  // Cells are copied as a block: where it begins, whose acts, and what they are.
  copyCells() {
    const block = this.grid.block();
    this.copied = { ...block, acts: this.actsIn(block) };
    const titles = block.seats.map((name) => this.look(name).title);
    this.say(`Copied: ${counted(block.count, "turn")} of ${titles.join(", ")}.`);
    this.panelView.draw();
  }

  pasteCells() {
    const { copied } = this,
      place = this.facts.columns[this.grid.cursor.column];
    if (!copied || !place) return undefined;
    if (this.actsIn(copied) !== copied.acts) {
      this.copied = null;
      this.panelView.draw();
      return this.say("What you copied has changed since. Copy it again.");
    }
    const { stage, turn, seats, count } = copied;
    const to = { to_stage: place[0], to_turn: place[1] };
    return this.do("copy_cells", { stage, turn, seats, count, ...to });
  }

  actsIn({ stage, turn, seats, count }) {
    const { acts } = this.facts;
    const columns = Array.from({ length: count }, (_, n) => this.columnOf(stage, turn + n));
    return JSON.stringify(columns.map((column) => seats.map((name) => acts[column]?.[name])));
  }

  // -- what is selected -------------------------------------------------------------------------

  choose(pick) {
    if (pick?.kind !== "block") this.grid.single();
    this.refusals.clear();
    this.pick = pick;
    this.reselect();
    if (pick) this.grid.bring();
    else this.grid.focus();
  }

  reselect() {
    this.grid.place();
    this.grid.mark();
    this.panelView.draw();
  }

  // The panel follows the cursor.
  follow() {
    if (!this.grid.line.row || this.grid.cursor.column < 0) return;
    this.pick = { kind: "cell" };
    this.panelView.draw();
  }

  goTo(stage, turn) {
    this.grid.cursor.column = Math.max(0, this.columnOf(stage, turn));
    if (this.pick?.kind === "turn") this.pick = { kind: "turn", stage, turn };
    this.reselect();
  }

  isPicked() {
    const { pick, grid } = this,
      { row, stages, turns } = grid.line;
    if (pick.kind === "cell") return Boolean(row) && grid.cursor.column >= 0;
    if (pick.kind === "block") return true;
    if (pick.kind === "stage") return Boolean(stages);
    if (pick.kind === "turn") return Boolean(turns);
    return true;
  }

  settlePick() {
    const { pick, facts } = this;
    if (!pick || pick.kind === "cell" || pick.kind === "block") return;
    const there =
      pick.kind === "stage"
        ? facts.stages[pick.stage]
        : pick.kind === "turn"
          ? this.columnOf(pick.stage, pick.turn) >= 0
          : this.thing(pick.kind, pick.name);
    if (there) return;
    const { kind, name, list, at } = this.renaming ?? {};
    const now = list && pick.kind === kind && pick.name === name ? facts[list][at] : null;
    this.pick = now ? { kind, name: now.name } : null;
  }

  // What was just added can be named by typing on.
  nameNew(kind, before) {
    const name = this.names(kind).find((one) => !before.has(one));
    if (name === undefined) return;
    const stage = this.facts.stages.findIndex((one) => one.name === name);
    this.choose(kind === "stage" ? { kind, stage } : { kind, name });
    const input = /** @type {HTMLInputElement} */ (this.panel.querySelector(".field input"));
    if (matchMedia("(hover: hover)").matches) input?.select();
  }

  names(kind) {
    return this.facts[kind === "stage" ? "stages" : LISTS[kind]].map((one) => one.name);
  }

  // -- facts ------------------------------------------------------------------------------------

  get facts() {
    return this.screen.facts;
  }

  get heads() {
    return this.screen.heads;
  }

  get told() {
    return this.screen.told;
  }

  isSeat(name) {
    return this.facts.seats.some((one) => one.name === name);
  }

  thing(kind, name) {
    return this.facts[LISTS[kind]]?.find((one) => one.name === name);
  }

  // The name, badge and colours of a seat, of chance or of the task.
  look(name) {
    const found = this.thing("seat", name) ?? this.facts.makers[name] ?? this.facts.makers.task;
    const [fill, ink] = this.dark ? found.dark : found.light;
    return { title: found.title, label: found.label, fill, ink };
  }

  columnOf(stage, turn) {
    return this.facts.columns.findIndex((one) => one?.[0] === stage && one[1] === turn);
  }

  stageAt(column) {
    const { stages } = this.facts;
    const at = stages.findLastIndex((one) => one.first <= Math.max(column, stages[0].first));
    return Math.max(0, at);
  }

  // -- keys and messages ------------------------------------------------------------------------

  key(event) {
    const [target] = event.composedPath();
    if (!this.screen || this.dialogs.root.open || event.defaultPrevented) return;
    const writing = target.matches?.("input:not([type=checkbox], [type=range]), textarea, select");
    if ((event.ctrlKey || event.metaKey) && !writing && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      this.move(event.key.toLowerCase() === "y" || event.shiftKey ? "redo" : "undo");
    } else if (this.grid.cells.contains(target) && !target.matches("button"))
      keyInGrid(this, event);
    else if (event.key === "Escape" && this.panel.contains(target)) {
      event.preventDefault();
      this.grid.focus();
    }
  }

  say(text, buttons = []) {
    clearTimeout(this.hiding);
    // An open dialog hides what is not in it.
    (this.dialogs.root.open ? this.dialogs.root : this.frame).append(this.toast);
    this.toast.hidden = false;
    const hide = () => {
      this.toast.hidden = true;
    };
    this.toast.replaceChildren(
      make("span", { text }),
      ...buttons.map(([words, press]) => button(words, "small", press)),
      button("×", "small", hide, "Close the message"),
    );
    this.hiding = setTimeout(hide, SHOWN);
  }
}

export const mount = mounting(Editor);
