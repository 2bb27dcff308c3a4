// Somebody has left a room and had their part deleted: what they typed goes from this browser, too.

import { forget, keptKeys } from "./memory.js";

export function mount() {
  // Nothing is to be seen of it.
  return {
    show({ places }) {
      for (const key of keptKeys()) {
        if (places.some((place) => key.startsWith(`nip-draft/${place}/`) || key === `nip-sent/${place}`)) forget(key);
      }
    },
    destroy() {},
  };
}
