// Reruns the page when something that it shows has changed, and passes live values to the other
// components on it.

import { Connection } from "./connection.js";
import { LiveSource } from "./live.js";

export function mount(root, send) {
  const source = new LiveSource(() => connection.up);
  const connection = new Connection(root, send, {
    received: ({ live }) => live && source.publish(live),
  });
  return { show: (data) => connection.show(data), destroy: () => connection.destroy() };
}
