// A part of the page with style sheets of its own.

import { make } from "./elements.js";

// Mounts a front; `sheets` is the name of its style sheets in the site's folder.
export async function part(place, sheets, base, mount, send) {
  const inside = place.attachShadow({ mode: "open" });
  const root = make("div", { class: "nip-front" });
  const sheet = make("link", { rel: "stylesheet", href: new URL(`${sheets}.css`, base).href });
  const dressed = new Promise((done) => {
    sheet.onload = sheet.onerror = done;
  });
  inside.append(sheet, root);
  await dressed;
  return mount(root, send);
}
