// Values that the server sends for other components on the page, so that the page need not run. Each
// component has its own script, so they communicate through the window.

const LIVE = "nip-live";

// The latest values by component name. They are valid only while connected; otherwise those of the
// page are newer.
function latest() {
  return (window.nipLive ??= { said: {}, up: () => false });
}

// Publishes live values; `up` returns whether the connection is open.
export class LiveSource {
  constructor(up) {
    this.mine = window.nipLive = { said: {}, up };
  }

  publish(live) {
    const received = Date.now();
    for (const [name, value] of Object.entries(live))
      this.mine.said[name] = { ...value, heard: received };
    window.dispatchEvent(new Event(LIVE));
  }
}

// Shows the page's data, updated with live values received since.
export class LiveView {
  constructor(take) {
    this.take = take;
    this.update = () => this.given && this.draw();
    window.addEventListener(LIVE, this.update);
  }

  show(data) {
    this.given = data;
    this.shown = undefined;
    this.draw();
  }

  draw() {
    const { said, up } = latest();
    const now = up() ? said[this.given.live] : undefined;
    if (this.shown !== undefined && now === this.shown) return;
    this.shown = now ?? null;
    this.take({ ...this.given, ...now });
  }

  destroy() {
    window.removeEventListener(LIVE, this.update);
  }
}
