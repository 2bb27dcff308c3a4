// Hides a page until its elements have their final places, so that nothing is seen to jump.
// Elements at the top are shown as soon as nothing above them can still grow. Streamlit sends a
// page element by element, and shows a skeleton of another height while the code of an element is
// being fetched. The style that hides the page is in shell.css.
{
  const MOST = 2000; // ms after the first element; a slower page is shown as far as it has arrived
  const SKELETON = ".stSkeleton, [data-testid=stSkeleton]";
  const root = document.documentElement;
  const isSent = () =>
    document.querySelector("[data-testid=stApp]")?.getAttribute("data-test-script-state") ===
    "notRunning";
  const main = () => document.querySelector("[data-testid=stMainBlockContainer]");
  let first = 0;
  let steady = 0;
  let before = "";
  let changed = 0;

  // Streamlit first makes a component's shadow root, later fills it, and later still runs its
  // script, which sets `shown` when it has shown its data. A slow machine paints frames in between.
  const isDrawn = (component) => {
    const shadows = [component, ...component.querySelectorAll("*")].map((each) => each.shadowRoot);
    const inside = shadows.find(Boolean);
    const front = inside?.querySelector(".nip-front");
    return front ? front.hasAttribute("data-shown") : Boolean(inside?.childElementCount);
  };

  // Elements with a final place are shown; the others wait at most as long again.
  const late = () => root.classList.replace("nip-loading", "nip-late");

  const isReady = () => {
    const page = main();
    if (
      !page?.querySelector(
        "[data-testid=stElementContainer]:not(:has([data-testid=stAppSkeleton]))",
      )
    )
      return false;
    const now = performance.now();
    const missing =
      page.querySelectorAll(SKELETON).length +
      [...page.querySelectorAll(".stBidiComponent")].filter((each) => !isDrawn(each)).length;
    // The height of a drawing depends on its width.
    const state = `${page.scrollHeight} ${missing}`;
    const isSteady = state === before;
    if (!isSteady) changed = now;
    before = state;
    first ||= now;
    const passed = now - first;
    if (passed > MOST) late();
    // A slow browser draws one component after the other; finished ones are shown from the top
    // down.
    const goesOn = now - changed < MOST && passed < 5 * MOST;
    if (passed > 2 * MOST && !goesOn) return true;
    return isSteady && isSent() && !missing && document.fonts.status !== "loading";
  };

  // The navigation and the title are shown at once. Once the whole page has been sent, elements are
  // shown from the top down, as far as they are finished; before that, one may still be added
  // above. A page may have a first part, after which nothing is added above its end: it is complete
  // when something follows it.
  const HEAD = "[data-testid=stHeader]:has(a), .st-key-nip-title [data-testid=stElementContainer]";
  const ALL = "[data-testid=stMainBlockContainer] [data-testid=stElementContainer]";
  const AFTER_FIRST = "[data-testid=stLayoutWrapper]:has(> .st-key-nip-first-part) + *";
  const showWhatStands = () => {
    if (document.fonts.status === "loading") return;
    showUntil(document.querySelectorAll(HEAD));
    const sent = isSent();
    const next = sent ? null : document.querySelector(AFTER_FIRST);
    if (!sent && !next) return;
    const isComplete = (part) =>
      sent || part.compareDocumentPosition(next) === Node.DOCUMENT_POSITION_FOLLOWING;
    showUntil([...document.querySelectorAll(ALL)].filter(isComplete));
  };

  const showUntil = (parts) => {
    for (const part of parts) {
      // Actions in the header have reserved places.
      if (part.dataset.nipStands !== undefined || part.closest(".st-key-nip-actions")) continue;
      if (
        part.querySelector(SKELETON) ||
        ![...part.querySelectorAll("img")].every((image) => image.complete) ||
        ![...part.querySelectorAll(".stBidiComponent")].every(isDrawn)
      )
        return;
      part.dataset.nipStands = "";
    }
  };

  const look = () => {
    showWhatStands();
    steady = isReady() ? steady + 1 : 0;
    if (steady < 3) return void requestAnimationFrame(look);
    root.classList.remove("nip-loading", "nip-late");
    // After this, Streamlit's own theme applies.
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
