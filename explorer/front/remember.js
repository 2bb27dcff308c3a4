// Lets the browser remember what a page was about, for Home to lead back to. It shows nothing.
import { keep } from "./memory.js";

export function mount() {
  return { show: ({ key, what }) => keep(key, JSON.stringify(what)), destroy() {} };
}
