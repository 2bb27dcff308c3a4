// Deletes a person's drafts from this browser after their data in a room was deleted.

import { forget, keptKeys } from "./memory.js";

export function mount() {
  // It shows nothing.
  return {
    show({ places }) {
      for (const key of keptKeys()) {
        if (
          places.some(
            (place) => key.startsWith(`nip-draft/${place}/`) || key === `nip-sent/${place}`,
          )
        )
          forget(key);
      }
    },
    destroy() {},
  };
}
