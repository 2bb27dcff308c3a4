// Storage in the browser or, if that is not allowed (in a sandboxed frame), in this page.

const here = new Map();

function kept(does, otherwise) {
  try { return does(localStorage); } catch { return otherwise(); }
}

export function recall(key) {
  return kept((store) => store.getItem(key), () => here.get(key) ?? null);
}

export function keep(key, text) {
  kept((store) => store.setItem(key, text), () => here.set(key, text));
}

export function forget(key) {
  kept((store) => store.removeItem(key), () => here.delete(key));
}

export function keptKeys() {
  return kept((store) => Object.keys(store), () => [...here.keys()]);
}
