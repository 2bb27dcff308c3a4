// Lets the browser's Back undo choices on a page. Most code that writes addresses replaces them, so
// entries of the history are added here, except for changes of the round. One choice is one entry,
// even if obsolete keys are removed from the address a moment later.

const ACTS = ["pointerdown", "keydown"];

export class History {
  constructor() {
    this.went = () => this.remember();
    this.acts = 0;
    // What was chosen before is in the address by now, though the page may not have answered.
    this.clicked = () => this.note();
    this.acted = () => {
      this.note();
      this.acts += 1;
    };
    addEventListener("popstate", this.went);
    addEventListener("click", this.clicked, true);
    for (const name of ACTS) addEventListener(name, this.acted, true);
    this.remember();
  }

  destroy() {
    removeEventListener("popstate", this.went);
    removeEventListener("click", this.clicked, true);
    for (const name of ACTS) removeEventListener(name, this.acted, true);
  }

  remember() {
    this.address = location.href;
    this.entry = entry();
  }

  // Adds an entry if the address has other choices than before: when the page has handled it, and
  // before the next choice, which may come earlier.
  note() {
    const now = location.href,
      before = this.address,
      isNew = entry() !== this.entry;
    const page = (href) => new URL(href).pathname;
    if (!isNew && page(now) === page(before) && choices(now) !== choices(before)) {
      if (this.noted !== this.acts || !isLess(now, before)) {
        history.replaceState(history.state, "", before);
        history.pushState(history.state, "", now);
      }
      this.noted = this.acts;
    }
    this.remember();
  }
}

// A round is in the address too, but replaces the one before.
export function writeRound(name, number) {
  const address = new URL(location.href);
  address.searchParams.set(name, number);
  history.replaceState(history.state, "", address);
}

// Whether an address only has fewer keys than another.
function isLess(now, before) {
  const { searchParams } = new URL(before);
  return [...new URL(now).searchParams].every(([name, value]) => searchParams.get(name) === value);
}

function entry() {
  return globalThis.navigation?.currentEntry?.key ?? history.length;
}

function choices(href) {
  const query = new URL(href).searchParams;
  query.delete("round");
  query.sort();
  return query.toString();
}
