// Stores what a page was about in the browser, for links on the Home page. Shows nothing.
import { keep } from "./memory.js";

export function mount() {
  return { show: ({ key, what }) => keep(key, JSON.stringify(what)), destroy() {} };
}
