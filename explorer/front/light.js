// Whether the background is dark; it never is in print.

const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const paper = matchMedia("print"),
  night = matchMedia("(prefers-color-scheme: dark)");
let printing = false; // some browsers draw for print before they report it
addEventListener(
  "beforeprint",
  () => {
    printing = true;
  },
  true,
);
addEventListener(
  "afterprint",
  () => {
    printing = false;
  },
  true,
);

export function isDark(element) {
  if (printing || paper.matches) return false;
  probe.fillStyle =
    getComputedStyle(element).getPropertyValue("--st-background-color").trim() || "#fff";
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return red + green + blue < 300;
}

// Of the window: the page has another theme than the system's, or no longer.
export const THEME = "nip-theme";

// Calls back when the page may have become light or dark; returns a function that stops it.
export function onLight(changed) {
  const now = () => changed();
  const soon = () => [60, 400, 1200].forEach((wait) => setTimeout(changed, wait));
  night.addEventListener("change", soon);
  paper.addEventListener("change", now);
  addEventListener(THEME, now);
  for (const name of ["beforeprint", "afterprint"]) addEventListener(name, now);
  return () => {
    night.removeEventListener("change", soon);
    paper.removeEventListener("change", now);
    removeEventListener(THEME, now);
    for (const name of ["beforeprint", "afterprint"]) removeEventListener(name, now);
  };
}
