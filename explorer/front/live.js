// What a line tells of other fronts on its page, so that the page need not be drawn anew for it. Each
// front has a script of its own: they meet at the window.

const TOLD = "nip-told";

// What has been told, by the names of those who show it. Without a line it is worth nothing: then
// the page knows better.
function told() {
  return (window.nipTold ??= { said: {}, up: () => false });
}

// The end of a line: `up` says whether there is one.
export class Teller {
  constructor(up) {
    this.mine = window.nipTold = { said: {}, up };
  }

  tell(live) {
    const heard = Date.now();
    for (const [name, value] of Object.entries(live)) this.mine.said[name] = { ...value, heard };
    window.dispatchEvent(new Event(TOLD));
  }
}

// A front that shows what its page gave, and what the line has told since.
export class Follower {
  constructor(take) {
    this.take = take;
    this.look = () => this.given && this.draw();
    window.addEventListener(TOLD, this.look);
  }

  show(data) {
    this.given = data;
    this.shown = undefined;
    this.draw();
  }

  draw() {
    const { said, up } = told();
    const now = up() ? said[this.given.live] : undefined;
    if (this.shown !== undefined && now === this.shown) return;
    this.shown = now ?? null;
    this.take({ ...this.given, ...now });
  }

  destroy() {
    window.removeEventListener(TOLD, this.look);
  }
}
