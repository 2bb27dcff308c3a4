// A person's seat, in a room or on the Play page: the status banner, if there is one, the table, and
// the connection for both. A move is kept until the server has answered, and sent again after the connection was lost or the page was
// reloaded; the server ignores a move that it already has.

import { make, mounting } from "./elements.js";
import { Connection } from "./connection.js";
import { draftsOf, forget, keep, keptKeys, recall } from "./memory.js";
import { mount as mountNow } from "./now.js";
import { mount as mountTable } from "./table.js";
import { tr } from "./words.js";

// Fields that rooms do not use: variations, a title to remember, and a model's progress.
const BEGINNING = { id: 0, parent: null, round: 0, speakers: [], over: false, verdict: null };
const NOTHING = { tree: { here: 0, nodes: [BEGINNING] }, keep: null, thinking: null, note: null };
const SOON = 1500; // milliseconds until waiting for an answer is shown

class Seat {
  constructor(root, send) {
    this.back = make("button", {
      type: "button",
      class: "back",
      text: tr("I am back"),
      hidden: true,
      onclick: () => this.act({ back: true, mark: `${Date.now()}` }),
    });
    this.below = make("div");
    this.above = make("div");
    root.replaceChildren(this.above, this.below);
    this.now = null;
    this.table = null;
    this.seat = null;
    this.sending = null;
    this.error = null;
    this.connection = new Connection(root, send, {
      received: (said) => this.received(said),
      opened: () => this.deliver(),
      typed: () => this.typed,
    });
  }

  destroy() {
    clearTimeout(this.later);
    this.connection.destroy();
    this.now?.destroy();
    this.table?.destroy();
  }

  // -- showing ----------------------------------------------------------------------------------

  // Data from the connection is newer than the page's.
  show({ address, known, seat, draft }) {
    this.draft = draft;
    const given = JSON.stringify(seat);
    const anew = given !== this.given;
    this.given = given;
    if (anew && !(this.updated && this.connection.up)) this.take(seat);
    this.draw();
    this.connection.show({ address, known });
  }

  received({ seat, answer }) {
    if (seat) {
      this.updated = true;
      this.take(seat);
    }
    if (answer) this.answered(answer);
    if (seat || answer) this.draw();
  }

  // A screen with a place is complete; without one, it contains only the changes.
  take(seat) {
    const before = this.seat;
    this.seat = seat.place
      ? seat
      : { ...before, ...seat, table: { ...before.table, ...seat.table } };
    if (seat.now && !this.now) this.drawAbove();
    if (seat.now) this.now.show({ clock: null, ...seat.now });
    if (before?.place !== this.seat.place) this.sitDown(before?.place);
  }

  drawAbove() {
    const banner = make("div", { class: "what" });
    this.above.append(make("div", { class: "above-table" }, banner, this.back));
    this.now = mountNow(banner);
  }

  // A new seat or a new task needs a new table.
  sitDown(left) {
    if (left) forget(kept(left));
    this.table?.destroy();
    this.table = mountTable(this.below, (_, act) => this.act(act));
    const sending = recall(kept(this.seat.place));
    this.sending = sending ? JSON.parse(sending) : null;
    this.deliver();
  }

  draw() {
    if (!this.seat) return;
    const { table, place, away } = this.seat;
    this.back.hidden = !away;
    const waits = this.sending?.messages ? { ...this.sending, late: this.late } : null;
    this.table.show({
      ...NOTHING,
      episode: place,
      draft: this.draft,
      ...table,
      error: this.error,
      sending: waits,
    });
    // An error is shown once.
    this.error = null;
  }

  get typed() {
    if (!this.seat) return false;
    const { place, table } = this.seat;
    return keptKeys().some((key) => key.startsWith(draftsOf(table.episode ?? place)));
  }

  // -- acting -----------------------------------------------------------------------------------

  act(act) {
    this.sending = { ...act, place: this.seat.place };
    keep(kept(this.seat.place), JSON.stringify(this.sending));
    this.deliver();
  }

  deliver() {
    if (!this.sending) return;
    this.late = !this.connection.ask(JSON.stringify(this.sending));
    clearTimeout(this.later);
    this.later = setTimeout(
      () => {
        this.late = this.sending !== null;
        this.draw();
      },
      this.late ? 0 : SOON,
    );
  }

  answered({ mark, refused }) {
    if (mark !== this.sending?.mark) return;
    forget(kept(this.seat.place));
    clearTimeout(this.later);
    this.error = refused && { mark, ...refused };
    this.sending = null;
  }
}

export const mount = mounting(Seat);

function kept(place) {
  return `nip-sent/${place}`;
}
