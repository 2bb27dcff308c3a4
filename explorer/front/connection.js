// A websocket on which the server reports changes. If the page has to rerun, it is asked repeatedly
// until it does. Shows only whether the connection is lost or back.

import { make, written } from "./elements.js";
import { tr } from "./words.js";

const FIRST = 500,
  LAST = 15000; // milliseconds until a reconnection: the first, and at most
const ASK_AGAIN = 1000; // until the page is asked again; doubles each time
const ANSWER = 5000; // in which a running server answers
const QUIET = 1500; // shorter interruptions are not shown
const OVER = 4000; // the server's close code for: do not reconnect

const LOST = tr("Connection lost. It comes back by itself.");
const DOWN = tr("The server cannot reach its database. This goes on by itself.");
const KEPT = ` ${tr("What you typed is kept.")}`;
const BACK = tr("Connected again.");

export class Connection {
  // `received` takes every message of the server; `opened` is called after each connection; `typed`
  // says whether there is a text that was typed and not sent.
  /**
   * @param {HTMLElement} root
   * @param {Send} send
   * @param {{ received?: (said: any) => void, opened?: () => void, typed?: () => boolean }} hears
   */
  constructor(root, send, { received = () => {}, opened = () => {}, typed = () => false } = {}) {
    this.send = send;
    this.received = received;
    this.opened = opened;
    this.typed = typed;
    this.timers = {};
    this.asked = 0;
    this.words = make("p", { class: "nip-connection", role: "status" });
    root.append(this.words);
    this.awake = () => document.visibilityState === "visible" && this.check();
    document.addEventListener("visibilitychange", this.awake);
    for (const name of ["online", "pageshow"]) window.addEventListener(name, this.awake);
    this.gone = () => this.broken();
    window.addEventListener("offline", this.gone);
  }

  destroy() {
    document.removeEventListener("visibilitychange", this.awake);
    for (const name of ["online", "pageshow"]) window.removeEventListener(name, this.awake);
    window.removeEventListener("offline", this.gone);
    for (const name of Object.keys(this.timers)) this.stop(name);
    this.disconnect();
    this.words.remove();
  }

  show({ address, known }) {
    this.known = known;
    if (address !== this.address) {
      this.address = address;
      this.mark = undefined;
      this.attempts = 0;
      this.open();
    }
    this.requestRun();
  }

  // -- the connection ---------------------------------------------------------------------------

  open() {
    this.disconnect();
    this.stop("open");
    const socket = new WebSocket(new URL(this.address, location.href.replace(/^http/, "ws")));
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (socket === this.socket) this.opened();
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.stop("answer");
      this.attempts = 0;
      const said = JSON.parse(event.data);
      if (said.lost) this.interrupted(DOWN);
      else this.good();
      this.received(said);
      if (said.mark === undefined) return;
      this.mark = said.mark;
      this.asked = 0;
      this.requestRun();
    });
    socket.addEventListener("close", (event) => {
      if (socket !== this.socket) return;
      if (event.code === OVER) this.socket = null;
      else this.broken();
    });
  }

  disconnect() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  broken() {
    this.disconnect();
    this.stop("answer");
    this.in("lost", QUIET, () => this.interrupted(LOST), false);
    // A random part, so that not all windows reconnect at once after a restart of the server.
    const pause = Math.min(LAST, FIRST * 2 ** this.attempts++) * (0.5 + Math.random() / 2);
    this.in("open", pause, () => this.open());
  }

  // After sleep, a connection may be dead without an event.
  check() {
    if (!this.ask("?") && this.timers.open) this.open();
  }

  get up() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // Send a text if connected; return whether it was sent. The server must answer in time.
  ask(text) {
    if (!this.up) return false;
    this.socket.send(text);
    this.in("answer", ANSWER, () => this.broken(), false);
    return true;
  }

  // -- the page ---------------------------------------------------------------------------------

  // A request sent while the page is being set up is lost, so it is repeated until it has an effect.
  requestRun() {
    this.stop("run");
    if (this.mark === undefined || this.known.includes(this.mark)) return;
    this.send("update", this.mark);
    this.in("run", Math.min(LAST, ASK_AGAIN * 2 ** this.asked++), () => this.requestRun());
  }

  good() {
    this.stop("lost");
    if (!this.words.textContent || this.words.textContent === BACK) return;
    this.say(BACK);
    this.in("back", 4 * QUIET, () => this.say(""));
  }

  interrupted(words) {
    this.say(words + (this.typed() ? KEPT : ""));
  }

  say(words) {
    this.stop("back");
    if (this.words.textContent !== words) written(this.words, words);
  }

  in(name, milliseconds, act, anew = true) {
    if (!anew && this.timers[name]) return;
    this.stop(name);
    this.timers[name] = setTimeout(() => {
      delete this.timers[name];
      act();
    }, milliseconds);
  }

  stop(name) {
    clearTimeout(this.timers[name]);
    delete this.timers[name];
  }
}
