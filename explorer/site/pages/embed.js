import { mount } from "./front/site_embed.js";

mount(document.getElementById("main"), { base: new URL("./", import.meta.url).href });
