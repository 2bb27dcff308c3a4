// Has the page look when something has changed that it draws.

import { Line } from "./line.js";

export function mount(root, send) {
  const line = new Line(root, send);
  return { show: (data) => line.show(data), destroy: () => line.destroy() };
}
