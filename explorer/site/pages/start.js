import { mount } from "./front/site.js";

const first = JSON.parse(document.getElementById("first").textContent);
mount(document, { first, base: new URL("./", import.meta.url).href });
