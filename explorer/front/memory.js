// Storage in the browser, permanent or for this window only; if storage is not allowed (in a
// sandboxed frame), in this page.

const GOOD = "localStorage";
export const WINDOW = "sessionStorage";

const here = new Map();

function kept(does, otherwise, where = GOOD) {
  try {
    return does(globalThis[where]);
  } catch {
    return otherwise();
  }
}

export function recall(key, where) {
  return kept(
    (store) => store.getItem(key),
    () => here.get(key) ?? null,
    where,
  );
}

// The object kept as JSON under a key; empty if there is none, or something else.
export function recallObject(key, where) {
  try {
    return { ...JSON.parse(recall(key, where)) };
  } catch {
    return {};
  }
}

export function keep(key, text, where) {
  kept(
    (store) => store.setItem(key, text),
    () => here.set(key, text),
    where,
  );
}

export function forget(key) {
  kept(
    (store) => store.removeItem(key),
    () => here.delete(key),
  );
}

// A text that was typed and not sent yet is kept under a key with this beginning.
export const draftsOf = (place) => `nip-draft/${place}/`;

export function keptKeys() {
  return kept(
    (store) => Object.keys(store),
    () => [...here.keys()],
  );
}
