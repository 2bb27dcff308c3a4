// Starts Python with our modules, in a worker.
import { loadPyodide } from "./pyodide/pyodide.mjs";

export const base = new URL("./", import.meta.url).href;
export const plain = self.fetch.bind(self);
// Large files are stored compressed, since many static servers do not compress.
self.fetch = async (what, how) => {
  const url = what instanceof Request ? what.url : String(what);
  if (!url.endsWith(".asm.wasm")) return plain(what, how);
  const found = await plain(`${url}.gz`);
  if (!found.ok) return found;
  const body = found.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "content-type": "application/wasm" } });
};

// `say` is called with the current step and the completed share.
/** @param {(step: string, share: number) => void} say */
export async function startPython(say = () => {}) {
  say("Loading Python", 0.1);
  const files = plain(`${base}python.zip`).then((found) => {
    if (!found.ok) throw new Error("python.zip is missing on the server");
    return found.arrayBuffer();
  });
  // The code that awaits it handles a failure.
  files.catch(() => {});
  const lockFileContents = { info: SITE.info, packages: {} };
  const python = await loadPyodide({
    indexURL: `${base}pyodide/`,
    lockFileContents,
    stdLibURL: `${base}pyodide/python_stdlib.zip`,
  });
  say("Starting Python", 0.6);
  python.unpackArchive(await files, "zip", { extractDir: "/nip" });
  say("Reading the rules", 0.75);
  python.runPython('import sys; sys.path.insert(0, "/nip")');
  return python;
}
