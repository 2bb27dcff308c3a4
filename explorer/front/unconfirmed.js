// Choices that the page has not confirmed. What it sent before it heard of one must not undo it.

const MOST = 5000; // ms; after that, what the page says counts

export class Unconfirmed {
  // `expired` is called when a choice is not waited for any longer.
  constructor(expired) {
    this.expired = expired;
    this.chosen = new Map();
  }

  choose(name, value) {
    this.drop(name);
    const timer = setTimeout(() => {
      this.drop(name);
      this.expired();
    }, MOST);
    this.chosen.set(name, { value, timer });
  }

  // Returns the value to show, given the one that the page says.
  value(name, fromPage) {
    const own = this.chosen.get(name);
    if (own?.value === fromPage) this.drop(name);
    return own ? own.value : fromPage;
  }

  drop(name) {
    clearTimeout(this.chosen.get(name)?.timer);
    this.chosen.delete(name);
  }

  dropAll() {
    for (const name of [...this.chosen.keys()]) this.drop(name);
  }
}
