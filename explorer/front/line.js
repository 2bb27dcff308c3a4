// A line to the server, on which it says that something here has changed. If the page draws that, it
// is asked to look, again and again until it has. Shows only that the line is lost, and when it is
// back.

import { make, written } from "./elements.js";

const FIRST = 500, LAST = 15000; // milliseconds until the line is tried again: at first, at most
const ASK_AGAIN = 1000; // until the page is asked once more; every time twice as long
const ANSWER = 5000; // in which a server that is there answers
const QUIET = 1500; // what is shorter than this is not worth telling
const OVER = 4000; // the server closes a line that it will not open again

const LOST = "Connection lost. What you typed is kept.";
const DOWN = "The server cannot reach its database. What you typed is kept; this goes on by itself.";
const BACK = "Connected again.";

export class Line {
  // `heard` takes all that the server says; `opened` is called when there is somebody to say
  // something to, again after the line was lost.
  constructor(root, send, { heard = () => {}, opened = () => {} } = {}) {
    this.send = send;
    this.heard = heard;
    this.opened = opened;
    this.timers = {};
    this.asked = 0;
    this.words = make("p", { class: "nip-line", role: "status" });
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
    this.hangUp();
    this.words.remove();
  }

  show({ address, known }) {
    this.known = known;
    if (address !== this.address) {
      this.address = address;
      this.mark = undefined;
      this.tries = 0;
      this.open();
    }
    this.tell();
  }

  // -- the line ---------------------------------------------------------------------------------

  open() {
    this.hangUp();
    this.stop("open");
    const socket = new WebSocket(new URL(this.address, location.href.replace(/^http/, "ws")));
    this.socket = socket;
    socket.addEventListener("open", () => { if (socket === this.socket) this.opened(); });
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.stop("answer");
      this.tries = 0;
      const said = JSON.parse(event.data);
      if (said.lost) this.say(DOWN);
      else this.good();
      this.heard(said);
      if (said.mark === undefined) return;
      this.mark = said.mark;
      this.asked = 0;
      this.tell();
    });
    socket.addEventListener("close", (event) => {
      if (socket !== this.socket) return;
      if (event.code === OVER) this.socket = null;
      else this.broken();
    });
  }

  hangUp() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  broken() {
    this.hangUp();
    this.stop("answer");
    this.in("lost", QUIET, () => this.say(LOST), false);
    // Not all at the same moment, after a server was away.
    const pause = Math.min(LAST, FIRST * 2 ** this.tries++) * (0.5 + Math.random() / 2);
    this.in("open", pause, () => this.open());
  }

  // After a sleep, a line may be dead without anybody having noticed.
  check() {
    if (!this.ask("?") && this.timers.open) this.open();
  }

  get up() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // Say something, if there is a line; who is there answers.
  ask(text) {
    if (!this.up) return false;
    this.socket.send(text);
    this.in("answer", ANSWER, () => this.broken(), false);
    return true;
  }

  // -- the page ---------------------------------------------------------------------------------

  // What is told while the page is being set up gets lost: it is told until it has come back.
  tell() {
    this.stop("tell");
    if (this.mark === undefined || this.known.includes(this.mark)) return;
    this.send("news", this.mark);
    this.in("tell", Math.min(LAST, ASK_AGAIN * 2 ** this.asked++), () => this.tell());
  }

  good() {
    this.stop("lost");
    if (!this.words.textContent || this.words.textContent === BACK) return;
    this.say(BACK);
    this.in("back", 4 * QUIET, () => this.say(""));
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
