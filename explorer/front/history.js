// The browser's Back undoes what was chosen on a page. What writes addresses mostly replaces them,
// so that each new one is made an entry of its own here; going through the rounds makes none.

export class History {
  constructor() {
    this.went = () => this.remember();
    addEventListener("popstate", this.went);
    this.remember();
  }

  destroy() {
    removeEventListener("popstate", this.went);
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
      history.replaceState(history.state, "", before);
      history.pushState(history.state, "", now);
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

function entry() {
  return globalThis.navigation?.currentEntry?.key ?? history.length;
}

function choices(href) {
  const query = new URL(href).searchParams;
  query.delete("round");
  query.sort();
  return query.toString();
}
