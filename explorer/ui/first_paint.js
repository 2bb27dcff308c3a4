// A page is shown once its elements stand where they stay: what is not seen yet cannot jump.
// What is above all that is still on its way is shown at once, since nothing moves it.
// Streamlit sends a page element by element, and shows a skeleton of another height while the code
// of an element is being fetched. The style that hides the page is in shell.css.
{
  const MOST = 2000; // ms after the first element; then a slow page shows what it has
  const SKELETON = ".stSkeleton, [data-testid=stSkeleton]";
  const root = document.documentElement;
  const main = () => document.querySelector("[data-testid=stMainBlockContainer]");
  let first = 0;
  let steady = 0;
  let before = "";
  let changed = 0;

  // Streamlit first makes a component's shadow root, later fills it, and later still runs its script,
  // which notes that it has shown its data: on a slow machine, frames are painted in between.
  const isDrawn = (component) => {
    const shadows = [component, ...component.querySelectorAll("*")].map((each) => each.shadowRoot);
    const inside = shadows.find(Boolean);
    const front = inside?.querySelector(".nip-front");
    return front ? front.dataset.shown !== undefined : Boolean(inside?.childElementCount);
  };

  // What stands is shown; what a late element would still move waits as long once more.
  const late = () => root.classList.replace("nip-loading", "nip-late");

  const isReady = () => {
    const page = main();
    if (!page?.querySelector("[data-testid=stElementContainer]:not(:has([data-testid=stAppSkeleton]))")) return false;
    const now = performance.now();
    const { testScriptState } = document.querySelector("[data-testid=stApp]").dataset;
    const missing = page.querySelectorAll(SKELETON).length
      + [...page.querySelectorAll(".stBidiComponent")].filter((each) => !isDrawn(each)).length;
    // A drawing takes its height once it knows its width.
    const state = `${page.scrollHeight} ${missing}`;
    const isSteady = state === before;
    if (!isSteady) changed = now;
    before = state;
    first ||= now;
    const passed = now - first;
    if (passed > MOST) late();
    // A slow browser draws one component after the other, and shows what stands from the top down.
    const goesOn = now - changed < MOST && passed < 5 * MOST;
    if (passed > 2 * MOST && !goesOn) return true;
    return isSteady && testScriptState === "notRunning" && !missing && document.fonts.status !== "loading";
  };

  // The navigation and the title are shown at once; and once the page is complete, all elements from
  // the top down, until one does not stand yet. Before, a place higher up may still be filled.
  const HEAD = "[data-testid=stHeader]:has(a), .st-key-nip-title [data-testid=stElementContainer]";
  const ALL = "[data-testid=stMainBlockContainer] [data-testid=stElementContainer]";
  const showWhatStands = () => {
    if (document.fonts.status === "loading") return;
    const app = document.querySelector("[data-testid=stApp]");
    showUntil(HEAD);
    if (app?.dataset.testScriptState === "notRunning") showUntil(ALL);
  };

  const showUntil = (parts) => {
    for (const part of document.querySelectorAll(parts)) {
      // Actions have places of their own in the header.
      if (part.dataset.nipStands !== undefined || part.closest(".st-key-nip-actions")) continue;
      if (part.querySelector(SKELETON)
        || ![...part.querySelectorAll("img")].every((image) => image.complete)
        || ![...part.querySelectorAll(".stBidiComponent")].every(isDrawn)) return;
      part.dataset.nipStands = "";
    }
  };

  const look = () => {
    showWhatStands();
    steady = isReady() ? steady + 1 : 0;
    if (steady < 3) return void requestAnimationFrame(look);
    root.classList.remove("nip-loading", "nip-late");
    // From here on, Streamlit's own theme applies.
    root.style.colorScheme = "";
  };

  // A theme that was chosen in Streamlit's menu, instead of the device's.
  try {
    const { name } = JSON.parse(localStorage.getItem(`stActiveTheme-${location.pathname}-v2`));
    root.style.colorScheme = /dark/i.test(name) ? "dark" : /light/i.test(name) ? "light" : "";
  } catch {
    // No theme was chosen, or the browser has no storage.
  }
  root.classList.add("nip-loading");
  requestAnimationFrame(look);
}
