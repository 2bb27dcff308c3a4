// Another front within the editor, with styles of its own; loaded when it is first needed.

import { make } from "./elements.js";

export class Embedded {
  constructor() {
    this.host = make("div", { class: "host" });
    this.front = null;
    this.coming = null;
    this.body = null;
  }

  destroy() {
    this.front?.destroy();
    this.front = null;
  }

  async load(address) {
    this.coming ??= import(new URL(address, location.origin).href);
    return this.coming;
  }

  // Mounts a module anew.
  mount(there, send) {
    this.destroy();
    if (!this.body) {
      // Shy: after an edit, the focus stays where it was.
      this.body = make("div", { class: "nip-front", "data-shy": "" });
      const root = this.host.attachShadow({ mode: "open" });
      root.append(make("style", { text: there.style }), this.body);
    }
    this.front = there.mount(this.body, send);
  }
}
