// What is to be done next asks for the focus. Where a front stands among other things that somebody
// does (`data-shy`, as in a notebook), it gets none while they press keys or click elsewhere.

let last = null; // the front in which that was done last
const notice = (event) => { last = event.composedPath().find((node) => node.classList?.contains("nip-front")) ?? null; };
for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, notice, true);

export function invite(element) {
  const front = element?.closest(".nip-front[data-shy]");
  if (!front || front === last) element?.focus({ preventScroll: true });
}
