// Python: takes messages as JSON, posts what is to be shown, and keeps games in this browser.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const base = new URL("./", import.meta.url).href;
const plain = self.fetch.bind(self);
// Static servers often send files as they are, so what is large lies there packed.
self.fetch = async (what, how) => {
  const url = typeof what === "string" ? what : what.url ?? String(what);
  if (!url.endsWith(".asm.wasm")) return plain(what, how);
  const found = await plain(`${url}.gz`);
  if (!found.ok) return found;
  const body = found.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "content-type": "application/wasm" } });
};

// -- games that are kept ---------------------------------------------------------------------------

const MOST = 50; // games

const opened = new Promise((done, failed) => {
  const asked = indexedDB.open("nip-games", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("games", { keyPath: "id" });
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => failed(asked.error);
});
opened.catch(() => {});

async function withGames(mode, does) {
  const database = await opened;
  return new Promise((done, failed) => {
    const transaction = database.transaction("games", mode);
    const asked = does(transaction.objectStore("games"));
    transaction.oncomplete = () => done(asked?.result);
    transaction.onerror = transaction.onabort = () => failed(transaction.error);
  });
}

const unkept = () => self.postMessage({ unkept: true });

async function tellGames() {
  const all = await withGames("readonly", (store) => store.getAll());
  all.sort((one, other) => other.at - one.at);
  for (const { id } of all.slice(MOST)) await withGames("readwrite", (store) => store.delete(id));
  self.postMessage({ games: all.slice(0, MOST).map(({ id, title, over, at }) => ({ id, title, over, at })) });
}

function keepGame(text) {
  withGames("readwrite", (store) => store.put({ ...JSON.parse(text), at: Date.now() })).then(tellGames).catch(unkept);
}

const FORMAT = "nip-games/1";

// All games as one file, which another browser can open.
async function exportGames() {
  const games = await withGames("readonly", (store) => store.getAll());
  const text = JSON.stringify({ format: FORMAT, games: games.map(({ title, over, at, text }) => ({ title, over, at, text })) });
  self.postMessage({ shown: JSON.stringify({ place: "file", data: { name: "games.json", text } }) });
}

// Whatever the file holds: what is no game of ours is refused when it is opened.
async function importGames(text) {
  let found;
  try { found = JSON.parse(text); } catch { found = null; }
  const games = found?.format === FORMAT && Array.isArray(found.games) ? found.games : [];
  const fits = games.every((each) => typeof each?.title === "string" && typeof each.text === "string" && each.title.length < 300);
  if (!games.length || games.length > MOST || !fits) return "This file holds no games that were downloaded here.";
  for (const { title, over, at, text: kept } of games) await withGames("readwrite", (store) => store.put({ id: crypto.randomUUID(), title, over: over === true, at: Number.isFinite(at) ? at : 0, text: kept }));
  await tellGames();
  return null;
}

// -- messages --------------------------------------------------------------------------------------

const waiting = [];
let take = null;
self.onmessage = ({ data }) => (take ? answer(data) : waiting.push(data));

async function answer(text) {
  const said = JSON.parse(text);
  if (said.does === "forget") {
    await withGames("readwrite", (store) => store.delete(said.id)).then(tellGames).catch(unkept);
    return self.postMessage({ answered: JSON.stringify({ refused: null }) });
  }
  if (said.does === "reopen") {
    const kept = await withGames("readonly", (store) => store.get(said.id)).catch(() => null);
    if (!kept) return self.postMessage({ answered: JSON.stringify({ refused: "This game is not kept in this browser any more." }) });
    // The rest of an id is the place of the game at its table.
    return self.postMessage({ answered: take(JSON.stringify({ does: "load", text: kept.text, game: said.id })) });
  }
  if (said.does === "export" || said.does === "import") {
    const done = said.does === "export" ? exportGames().then(() => null) : importGames(said.text);
    const refused = await done.catch(() => "This browser does not let this page keep games.");
    return self.postMessage({ answered: JSON.stringify({ refused }) });
  }
  self.postMessage({ answered: take(text) });
}

// -- the start -------------------------------------------------------------------------------------

const say = (progress, part) => self.postMessage({ progress, part });
try {
  tellGames().catch(unkept);
  say("Loading Python", 0.1);
  const files = plain(`${base}python.zip`).then((found) => {
    if (!found.ok) throw new Error("python.zip is missing on the server");
    return found.arrayBuffer();
  });
  // Whoever waits for it hears of a failure.
  files.catch(() => {});
  const lockFileContents = { info: {{INFO}}, packages: {} };
  const python = await loadPyodide({ indexURL: `${base}pyodide/`, lockFileContents, stdLibURL: `${base}pyodide/python_stdlib.zip` });
  say("Starting Python", 0.6);
  python.unpackArchive(await files, "zip", { extractDir: "/nip" });
  python.globals.set("post", (text) => self.postMessage({ shown: text }));
  python.globals.set("keep", keepGame);
  say("Reading the rules", 0.75);
  take = python.runPython(`
import sys
sys.path.insert(0, "/nip")
from explorer.site.host import Host
Host(post, keep).take
`);
  self.postMessage({ ready: true });
  for (const each of waiting.splice(0)) await answer(each);
} catch (error) {
  self.postMessage({ failed: String(error?.message ?? error).slice(-300) });
}
