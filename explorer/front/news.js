// Has the page look when something has changed that it draws, and tells the fronts on it what they
// need no page for.

import { Line } from "./line.js";
import { Teller } from "./live.js";

export function mount(root, send) {
  const teller = new Teller(() => line.up);
  const line = new Line(root, send, { heard: ({ live }) => live && teller.tell(live) });
  return { show: (data) => line.show(data), destroy: () => line.destroy() };
}
