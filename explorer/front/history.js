// The browser's Back undoes what was chosen on a page. What writes addresses only replaces them, so
// that each new one is made an entry of its own here; going through the rounds makes none.

export class History {
  constructor() {
    this.address = location.href;
    this.went = () => (this.address = location.href);
    addEventListener("popstate", this.went);
  }

  destroy() {
    removeEventListener("popstate", this.went);
  }

  // The page has taken up what the address says, or has said it.
  note() {
    const now = location.href, before = this.address;
    this.address = now;
    const page = (href) => new URL(href).pathname;
    if (now === before || page(now) !== page(before) || choices(now) === choices(before)) return;
    history.replaceState(history.state, "", before);
    history.pushState(history.state, "", now);
  }
}

function choices(href) {
  const query = new URL(href).searchParams;
  query.delete("round");
  query.sort();
  return query.toString();
}
