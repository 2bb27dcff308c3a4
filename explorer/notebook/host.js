// A front as an anywidget; see explorer/front. It has its own shadow root, so that its styles and
// the notebook's are separate, and follows the notebook's light or dark theme.

const WORRY = 4000; // ms to wait for an answer from the kernel
const SILENT =
  "No answer from the kernel: it is busy with another cell, or it was restarted. What you have typed is kept. After a restart, run the notebook from the top to go on.";

function render({ model, el }) {
  const host = document.createElement("div");
  host.className = "nip-live";
  const inside = host.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  const root = document.createElement("div");
  const silent = document.createElement("p");
  sheet.textContent = STYLE;
  root.className = "nip-front";
  root.dataset.shy = "";
  silent.className = "nip-silent";
  silent.setAttribute("role", "status");
  silent.hidden = true;
  silent.textContent = SILENT;
  inside.append(sheet, silent, root);
  el.append(host);

  let waiting = null;
  const heard = () => {
    clearTimeout(waiting);
    waiting = null;
    silent.hidden = true;
  };
  const send = (event, value) => {
    waiting ??= setTimeout(() => {
      silent.hidden = false;
    }, WORRY);
    model.send({ event, value });
  };
  let front = null;
  const show = () => front?.show(model.get("data"));

  let dark = null;
  const look = () => {
    const now = isDark(el);
    if (now === dark) return;
    dark = now;
    host.style.colorScheme = dark ? "dark" : "light";
    // Drawing code needs the actual colour, not one that depends on the theme.
    host.style.setProperty("--st-background-color", PAPER[dark ? 1 : 0]);
    if (front) return show();
    front = mount(root, send);
    show();
    // The first paint uses the available fonts.
    requestAnimationFrame(() => setTimeout(askForLetters, 0, model));
  };
  const soon = () => {
    if (front) [0, 80, 500].forEach((wait) => setTimeout(look, wait));
  };
  const media = matchMedia("(prefers-color-scheme: dark)");
  const looks = new MutationObserver(soon);
  // Before it is attached to a page, it has no width and no text colour.
  const place = () => {
    if (el.isConnected) look();
  };
  const placed = new ResizeObserver(place);
  placed.observe(host);
  for (const node of [document.documentElement, document.body])
    looks.observe(node, { attributes: true });
  media.addEventListener("change", soon);

  // Keys for the front are not passed to the notebook, except with a modifier key.
  const own = (event) =>
    host.toggleAttribute("data-lm-suppress-shortcuts", !event.ctrlKey && !event.metaKey);
  addEventListener("keydown", own, true);
  const within = (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  };
  host.addEventListener("keydown", within);

  // The still form, which is shown when the notebook is opened without a kernel.
  const still = document.createElement("style");
  still.textContent = `.${model.get("still")} { display: none; }`;
  document.head.append(still);

  const receive = (message, buffers) => {
    if (message?.heard) heard();
    if (message?.patch) model.set("data", patched(model.get("data"), message.patch));
    if (message?.echo) send("echo");
    if (message?.letters) takeLetters(message.letters, buffers);
  };
  model.on("change:data", show);
  model.on("msg:custom", receive);
  place();
  return () => {
    heard();
    looks.disconnect();
    placed.disconnect();
    media.removeEventListener("change", soon);
    removeEventListener("keydown", own, true);
    model.off("change:data", show);
    model.off("msg:custom", receive);
    still.remove();
    front?.destroy();
  };
}

// The kernel sends only changes. Unchanged values stay the same objects.
function patched(data, changes) {
  return changes.reduce((now, [path, ...value]) => put(now, path, value), data);
}

function put(node, path, value) {
  const [key, ...rest] = path;
  if (key === undefined) return value[0];
  const copy = Array.isArray(node) ? [...node] : { ...node };
  if (rest.length) copy[key] = put(node[key], rest, value);
  else if (value.length) copy[key] = value[0];
  else delete copy[key];
  return copy;
}

// The app's fonts are not in the notebook's file; the kernel sends them once per page.
function askForLetters(model) {
  if (!haveLetters()) model.send({ event: "letters" });
}

function takeLetters(faces, files) {
  if (haveLetters()) return;
  const fontfaces = faces.map(
    ({ family, weight }, place) => new FontFace(family, files[place], { weight }),
  );
  for (const face of fontfaces) document.fonts.add(face);
  const done = () =>
    document.fonts.dispatchEvent(new FontFaceSetLoadEvent("loadingdone", { fontfaces }));
  Promise.all(fontfaces.map((face) => face.load())).then(done, () => {});
}

function haveLetters() {
  return [...document.fonts].some((each) => each.family.replaceAll('"', "") === "Inter");
}

// A page is dark if its text is bright, independent of how it names its colours.
function isDark(element) {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(element).color;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 3 * 128;
}

export default { render };
