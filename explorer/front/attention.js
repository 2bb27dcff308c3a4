// Moves the focus to the next action. A front among other content (`data-shy`, as in a notebook)
// does not take the focus while the person types or clicks elsewhere.

let last = null; // the front that moved the focus last
const notice = (event) => {
  last = event.composedPath().find((node) => node.classList?.contains("nip-front")) ?? null;
};
for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, notice, true);

export function invite(element) {
  const front = element?.closest(".nip-front[data-shy]");
  if (!front || front === last) element?.focus({ preventScroll: true });
}
