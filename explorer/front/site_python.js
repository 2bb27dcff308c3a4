// Python in a worker of the page: starts it, sends messages, and ends it if it does not answer.

const LONGEST_SILENCE = 20_000; // ms; twice as long after each restart, since a device may be slow

export class Python {
  // `hear` is called with each message of the worker; `restart` is called after it was replaced.
  constructor(base, hear, restart) {
    this.base = base;
    this.hear = hear;
    this.restart = restart;
    this.waiting = [];
    this.ready = false;
    this.worker = null;
    this.asked = 0;
    this.silence = LONGEST_SILENCE;
  }

  start() {
    if (this.worker) return;
    const url = new URL("worker.js", this.base).href;
    // A worker that is loaded from an address does not have the page's content security policy; one
    // from a blob does.
    const text = new Blob([`import ${JSON.stringify(url)};`], { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(text), { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = () => this.hear({ failed: "its worker could not be loaded" });
  }

  send(message) {
    this.start();
    const text = JSON.stringify(message);
    if (this.ready) this.post(text);
    else this.waiting.push(text);
  }

  post(text) {
    this.asked += 1;
    this.watch();
    this.worker.postMessage(text);
  }

  heard(data) {
    if (data.ready) {
      this.ready = true;
      for (const text of this.waiting.splice(0)) this.post(text);
    }
    if (data.answered !== undefined && --this.asked === 0) clearTimeout(this.late);
    // Python is at work and shows signs of life.
    if (data.busy && this.asked) this.watch();
    this.hear(data);
  }

  watch() {
    clearTimeout(this.late);
    this.late = setTimeout(() => this.again(), this.silence);
  }

  // A program that never ends would block the worker.
  again() {
    this.worker.terminate();
    this.worker = null;
    this.ready = false;
    this.asked = 0;
    this.waiting = [];
    this.silence *= 2;
    this.restart();
  }
}
