// A game that is played beside the editor, at the table of the Play page. After an edit it goes on;
// if its moves are no longer legal, it says so and offers the nearest position.

import { Embedded } from "./draw_embed.js";
import { badge, button, fill, picker } from "./draw_fields.js";
import { make, written } from "./elements.js";
import { forget, keep, recall } from "./memory.js";

const WAYS = [
  ["me", "by hand"],
  ["scripted", "by a script"],
  ["random", "by chance"],
];
const FALLBACK = { keep: null, thinking: null, draft: null };

const key = (editor) => `nip-drawing-game/${editor.screen.place}`;

export class Game {
  constructor(editor) {
    this.editor = editor;
    this.embedded = new Embedded();
    this.place = "";
    this.error = null;
    this.sending = null;
    this.open = button("Play beside", "", () => this.begin(), "Play it here, beside the drawing");
    this.head = make("header");
    this.note = make("p", { class: "hint", role: "status" });
    this.stop = make("div", { class: "stopped", role: "alert", hidden: true });
    this.host = this.embedded.host;
    this.root = make(
      "section",
      { class: "game", "aria-label": "A game of it", hidden: true },
      this.head,
      this.note,
      this.stop,
      this.host,
    );
  }

  destroy() {
    this.embedded.destroy();
  }

  begin() {
    this.wanted = true;
    this.editor.ask({ play: "begin" }, (refused) => refused && this.editor.say(refused.message));
  }

  // The server has forgotten the game; this browser may not have.
  restore() {
    const kept = recall(key(this.editor));
    if (kept) this.editor.ask({ play: "restore", kept });
  }

  end() {
    forget(key(this.editor));
    this.editor.ask({ play: "end" });
  }

  act(act) {
    this.sending = act;
    this.editor.ask({ play: act }, (refused) => {
      this.sending = null;
      this.error = refused ? { mark: act.mark, ...refused } : null;
      this.draw();
      if (refused && !act.messages) this.editor.say(refused.message);
    });
  }

  draw() {
    const { game } = this.editor.screen;
    this.root.hidden = !game;
    // A notebook has no table.
    this.open.hidden = !this.editor.data.table;
    written(this.open, game ? "Begin a new game" : "Play beside");
    this.editor.grid.mark();
    if (!game) return this.leave();
    if (game.kept) keep(key(this.editor), game.kept);
    fill(this.head, [game.seats, this.editor.facts.seats, this.editor.dark], () =>
      this.buildHead(game.seats),
    );
    written(this.note, game.said);
    this.note.hidden = !game.said;
    this.stop.hidden = !game.stopped;
    fill(this.stop, game.stopped, () => (game.stopped ? this.buildStop(game.stopped) : []));
    this.host.hidden = !game.table;
    if (game.table) this.seat();
    return undefined;
  }

  buildHead(seats) {
    const { editor } = this;
    const lines = seats.map(([seat, way]) =>
      make(
        "label",
        { class: "sits" },
        badge(editor, seat),
        picker(`${editor.look(seat).title} is played`, WAYS, way, (kind) =>
          this.act({ who: seat, kind }),
        ),
      ),
    );
    return [
      make("h2", { text: "A game of it" }),
      ...lines,
      button("Move by chance", "", () => this.act({ chance: true }), "Let chance make this move"),
      button("×", "small", () => this.end(), "End this game"),
    ];
  }

  buildStop({ why, to }) {
    const { editor } = this;
    return [
      make("p", {}, make("b", { text: "The game cannot go on from here. " }), why),
      make(
        "div",
        { class: "row" },
        to ? button(`Go on ${to}`, "main", () => this.act({ nearest: true })) : null,
        button("Undo the change", "", () => editor.move("undo")),
        button("Begin a new game", "", () => this.begin()),
      ),
    ];
  }

  leave() {
    this.embedded.destroy();
    this.place = "";
  }

  async seat() {
    const there = await this.embedded.load(this.editor.data.table);
    const now = this.editor.screen.game;
    if (!now?.table) return;
    if (this.place !== now.place) this.embedded.mount(there, (_, act) => this.act(act));
    this.place = now.place;
    this.embedded.front.show({
      ...FALLBACK,
      episode: now.place,
      ...now.table,
      error: this.error,
      sending: this.sending?.messages ? this.sending : null,
    });
    this.error = null;
    if (this.wanted) this.root.scrollIntoView({ block: "nearest" });
    this.wanted = false;
  }
}
