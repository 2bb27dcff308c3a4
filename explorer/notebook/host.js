// A front as an anywidget; see explorer/front. It stands in a root of its own, so that neither its
// style sheet nor the notebook's reaches the other, and in the notebook's light or dark.

const WORRY = 4000; // ms without an answer from the kernel
const SILENT = "No answer from the kernel: it is busy with another cell, or it was restarted. What you have typed is kept. Run this cell again to go on.";

async function render({ model, el }) {
  await letters();
  const host = document.createElement("div");
  host.className = "nip-live";
  const inside = host.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  const root = document.createElement("div");
  const silent = document.createElement("p");
  sheet.textContent = STYLE;
  root.className = "nip-front";
  silent.className = "nip-silent";
  silent.setAttribute("role", "status");
  silent.hidden = true;
  silent.textContent = SILENT;
  inside.append(sheet, silent, root);
  el.append(host);

  let waiting = null;
  const heard = () => { clearTimeout(waiting); waiting = null; silent.hidden = true; };
  const send = (event, value) => {
    waiting ??= setTimeout(() => { silent.hidden = false; }, WORRY);
    model.send({ event, value });
  };
  const front = mount(root, send);
  const show = () => front.show(model.get("data"));

  let dark = null;
  const look = () => {
    const now = isDark(el);
    if (!el.isConnected || now === dark) return;
    dark = now;
    host.style.colorScheme = dark ? "dark" : "light";
    // What draws asks for a colour as it is, not for what becomes of it in the dark.
    host.style.setProperty("--st-background-color", PAPER[dark ? 1 : 0]);
    show();
  };
  const soon = () => [0, 80, 500].forEach((wait) => setTimeout(look, wait));
  const media = matchMedia("(prefers-color-scheme: dark)");
  const looks = new MutationObserver(soon);
  // Where it stands in no page yet, its letters have no colour.
  const placed = new ResizeObserver(look);
  placed.observe(host);
  for (const node of [document.documentElement, document.body]) looks.observe(node, { attributes: true });
  media.addEventListener("change", soon);

  // Keys that are meant for the front are not the notebook's, but for those held with a modifier.
  const own = (event) => host.toggleAttribute("data-lm-suppress-shortcuts", !event.ctrlKey && !event.metaKey);
  addEventListener("keydown", own, true);
  const within = (event) => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); };
  host.addEventListener("keydown", within);

  // The still form of the same, which stands there for whoever opens the notebook without a kernel.
  const still = document.createElement("style");
  still.textContent = `.${model.get("still")} { display: none; }`;
  document.head.append(still);

  const told = (message) => { if (message && message.heard) heard(); };
  model.on("change:data", show);
  model.on("msg:custom", told);
  show();
  return () => {
    heard();
    looks.disconnect();
    placed.disconnect();
    media.removeEventListener("change", soon);
    removeEventListener("keydown", own, true);
    model.off("change:data", show);
    model.off("msg:custom", told);
    still.remove();
    front.destroy();
  };
}

// The letters that drawings are measured for, once a page.
function letters() {
  const known = [...document.fonts].some((face) => face.family.replaceAll('"', "") === "Inter");
  if (known) return null;
  const bytes = Uint8Array.fromBase64?.(INTER) ?? Uint8Array.from(atob(INTER), (letter) => letter.charCodeAt(0));
  const face = new FontFace("Inter", bytes, { weight: "100 900" });
  document.fonts.add(face);
  return face.load().catch(() => null);
}

// Letters are bright where the page is dark, whatever it calls its colours.
function isDark(element) {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(element).color;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 3 * 128;
}

export default { render };
