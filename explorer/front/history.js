// The browser's Back undoes what was chosen on a page. What writes addresses mostly replaces them,
// so that each new one is made an entry of its own here; going through the rounds makes none. What
// a person does once is one entry, though what it leaves without a meaning goes out of the address
// a moment later.

const ACTS = ["pointerdown", "keydown"];

export class History {
  constructor() {
    this.went = () => this.remember();
    this.acts = 0;
    this.acted = () => { this.acts += 1; };
    addEventListener("popstate", this.went);
    for (const name of ACTS) addEventListener(name, this.acted, true);
    this.remember();
  }

  destroy() {
    removeEventListener("popstate", this.went);
    for (const name of ACTS) removeEventListener(name, this.acted, true);
  }

  remember() {
    this.address = location.href;
    this.entry = entry();
  }

  // The page has taken up what the address says.
  note() {
    const now = location.href, before = this.address, isNew = entry() !== this.entry;
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

// A round stands in the address, too, but takes the place of the one before.
export function writeRound(name, number) {
  const address = new URL(location.href);
  address.searchParams.set(name, number);
  history.replaceState(history.state, "", address);
}

// Does an address only say less than another?
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
