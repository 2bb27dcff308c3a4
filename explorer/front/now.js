// A room's status banner: what the person has to do now, the time left, and their name.

import { make, written } from "./elements.js";
import { isDark } from "./light.js";
import { LiveView } from "./live.js";
import { badge } from "./table_parts.js";
import { tr, trn } from "./words.js";

const SECOND = 1000,
  SOON = 20; // seconds left from which the time is highlighted

export function mount(root) {
  const banner = new Now(root);
  const live = new LiveView((data) => banner.show(data));
  return {
    show: (data) => live.show(data),
    destroy() {
      live.destroy();
      banner.destroy();
    },
  };
}

class Now {
  constructor(root) {
    this.root = root;
    this.seat = make("span", { class: "seat" });
    this.sign = make("span", { class: "sign", hidden: true });
    this.say = make("p", { class: "say", role: "status" });
    this.left = make("span", { class: "left", role: "timer", hidden: true });
    this.where = make("p", { class: "where" });
    this.share = make("i");
    this.bar = make(
      "div",
      {
        class: "far",
        role: "progressbar",
        "aria-valuemin": "0",
        "aria-valuemax": "100",
        hidden: true,
      },
      this.share,
    );
    this.twice = make("p", { class: "twice", role: "status", hidden: true });
    root.replaceChildren(
      make(
        "div",
        { class: "strip" },
        this.sign,
        this.seat,
        make("div", { class: "words" }, this.say, this.where),
        this.left,
      ),
      this.bar,
      this.twice,
    );
    this.others = new Map();
    this.title = document.title;
  }

  destroy() {
    clearInterval(this.clock);
    this.leave();
  }

  show(data) {
    const { now, tone, seat, where, ends, clock, place, far, heard, sign } = data;
    this.sign.hidden = !sign;
    if (sign) {
      written(this.sign, sign.text);
      Object.assign(this.sign.style, { background: sign.fill, color: sign.ink });
    }
    this.seat.hidden = !seat;
    this.seat.replaceChildren(...(seat ? [badge(seat, seat.agent, isDark(this.root))] : []));
    this.root.firstChild.dataset.tone = tone;
    // Changed only if the sentence differs, since it is read aloud.
    if (this.say.textContent !== now) written(this.say, now);
    written(this.where, where);
    // Uses the server's clock, not the phone's.
    this.until = ends === null ? null : (heard ?? Date.now()) + (ends - clock) * SECOND;
    clearInterval(this.clock);
    if (this.until !== null) this.clock = setInterval(() => this.tick(), SECOND / 2);
    this.tick();
    this.bar.hidden = far === null;
    this.root.firstChild.classList.toggle("counts", far !== null);
    this.bar.setAttribute("aria-label", where);
    this.bar.setAttribute("aria-valuenow", Math.round(100 * far));
    this.share.style.width = `${100 * far}%`;
    if (place !== this.place) this.enter(place);
    document.title = tone === "go" ? `● ${now}` : this.title;
  }

  tick() {
    this.left.hidden = this.until === null;
    if (this.until === null) return;
    const seconds = Math.max(0, Math.round((this.until - Date.now()) / SECOND));
    written(this.left, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    this.left.setAttribute("aria-label", trn("{n} second left", "{n} seconds left", seconds));
    this.left.classList.toggle("soon", seconds <= SOON);
  }

  // -- other windows of this browser at the same seat ---------------------------------------------

  enter(place) {
    this.leave();
    this.place = place;
    if (!place || typeof BroadcastChannel === "undefined") return;
    this.mine = `${Date.now()}-${Math.random()}`;
    this.heard = new BroadcastChannel(`nip-room/${place}`);
    this.heard.onmessage = ({ data: [what, who] }) => {
      if (what === "gone") this.others.delete(who);
      else {
        if (what === "new") this.heard.postMessage(["here", this.mine]);
        this.others.set(who, what);
      }
      this.tell();
    };
    this.away = () => this.heard?.postMessage(["gone", this.mine]);
    addEventListener("pagehide", this.away);
    this.heard.postMessage(["new", this.mine]);
  }

  leave() {
    if (!this.heard) return;
    this.away();
    removeEventListener("pagehide", this.away);
    this.heard.close();
    this.heard = null;
    this.others.clear();
    this.tell();
  }

  tell() {
    this.twice.hidden = !this.others.size;
    written(
      this.twice,
      this.others.size
        ? tr("Also open in another window. Both work; the first move counts, and typed text stays.")
        : "",
    );
  }
}
