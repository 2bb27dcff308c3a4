// Counts how often a person pastes, presses keys and leaves the page, as far as they have agreed.
// What is typed is never read. Counts are reported at intervals, and when the person leaves.

const EVERY = 10_000; // milliseconds

export function mount(root, send) {
  let wanted = [];
  let counts = {};
  const add = (name) => {
    if (wanted.includes(name)) counts[name] = (counts[name] ?? 0) + 1;
  };
  const report = () => {
    if (!Object.keys(counts).length) return;
    send("noted", counts);
    counts = {};
  };
  const paste = () => add("paste");
  const key = () => add("keys");
  const seen = () => {
    if (!document.hidden) return;
    add("focus");
    report();
  };
  const timer = setInterval(report, EVERY);
  // Before any other listener: fields of a table may stop what they have handled.
  addEventListener("paste", paste, true);
  addEventListener("keydown", key, true);
  document.addEventListener("visibilitychange", seen);
  return {
    show(data) {
      wanted = data.names;
      // For those who look for it: it draws nothing.
      root.dataset.notes = wanted.join(" ");
    },
    destroy() {
      clearInterval(timer);
      removeEventListener("paste", paste, true);
      removeEventListener("keydown", key, true);
      document.removeEventListener("visibilitychange", seen);
    },
  };
}
