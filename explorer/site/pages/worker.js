// Runs Python: takes messages as JSON, posts what the page should show, and stores games in this
// browser.
import { base, plain, startPython } from "./python.js";

// -- stored games -------------------------------------------------------------------------------------

const MOST = 50; // games

// Games, and those of lessons: a database each, with one store.
const databases = Object.fromEntries(
  ["games", "lessons"].map((name) => {
    const opened = new Promise((done, failed) => {
      const asked = indexedDB.open(`nip-${name}`, 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore(name, { keyPath: "id" });
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
    opened.catch(() => {});
    return [name, opened];
  }),
);

async function withGames(mode, does, name = "games") {
  const database = await databases[name];
  return new Promise((done, failed) => {
    const transaction = database.transaction(name, mode);
    const asked = does(transaction.objectStore(name));
    transaction.oncomplete = () => done(asked?.result);
    transaction.onerror = transaction.onabort = () => failed(transaction.error);
  });
}

const unkept = () => self.postMessage({ unkept: true });

async function tellGames() {
  const all = await withGames("readonly", (store) => store.getAll());
  all.sort((one, other) => other.at - one.at);
  for (const { id } of all.slice(MOST)) await withGames("readwrite", (store) => store.delete(id));
  self.postMessage({
    games: all.slice(0, MOST).map(({ id, title, over, at }) => ({ id, title, over, at })),
  });
}

function keepGame(name, text) {
  const done = withGames(
    "readwrite",
    (store) => store.put({ ...JSON.parse(text), at: Date.now() }),
    name,
  );
  if (name === "games") done.then(tellGames).catch(unkept);
  else done.catch(() => {});
}

const FORMAT = "nip-games/1";

// All games as one file, which another browser can open.
async function exportGames() {
  const games = await withGames("readonly", (store) => store.getAll());
  const text = JSON.stringify({
    format: FORMAT,
    games: games.map(({ title, over, at, text }) => ({ title, over, at, text })),
  });
  self.postMessage({
    shown: JSON.stringify({ place: "file", data: { name: "games.json", text } }),
  });
}

// The file may contain anything: an invalid game is refused when it is opened.
async function importGames(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  const games = found?.format === FORMAT && Array.isArray(found.games) ? found.games : [];
  const fits = games.every(
    (each) =>
      typeof each?.title === "string" && typeof each.text === "string" && each.title.length < 300,
  );
  if (!games.length || games.length > MOST || !fits)
    return "This file holds no games that were downloaded here.";
  for (const { title, over, at, text: kept } of games)
    await withGames("readwrite", (store) =>
      store.put({
        id: crypto.randomUUID(),
        title,
        over: over === true,
        at: Number.isFinite(at) ? at : 0,
        text: kept,
      }),
    );
  await tellGames();
  return null;
}

// -- slow programs -----------------------------------------------------------------------------------

const LONGEST_RUN = SITE.runSeconds * 1000,
  LONGEST_START = 60_000,
  SIGN = 5_000; // ms

let programs = null,
  order = Promise.resolve();

// Answers a request in a worker that is ended after a time limit; the answer is then empty.
const runElsewhere = (request) => (order = order.then(() => runOne(request)));

async function runOne(request) {
  // The page ends a worker that shows no sign of life for too long.
  const signs = setInterval(() => self.postMessage({ busy: true }), SIGN);
  self.postMessage({ busy: true });
  try {
    programs ??= await startPrograms();
    const { answer, goesOn } = await said(programs, LONGEST_RUN, () =>
      programs.postMessage(request),
    );
    if (!goesOn) endPrograms();
    return answer;
  } catch {
    endPrograms();
    return "";
  } finally {
    clearInterval(signs);
  }
}

function endPrograms() {
  programs?.terminate();
  programs = null;
}

async function startPrograms() {
  // Loaded from a blob, like this worker: a worker loaded from an address would not get the policy.
  const text = new Blob([`import ${JSON.stringify(`${base}programs.js`)};`], {
    type: "text/javascript",
  });
  const worker = new Worker(URL.createObjectURL(text), { type: "module" });
  try {
    await said(worker, LONGEST_START);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return worker;
}

// Returns the next message of a worker.
function said(worker, most, then = () => {}) {
  return new Promise((done, failed) => {
    const late = setTimeout(failed, most);
    worker.onmessage = ({ data }) => {
      clearTimeout(late);
      done(data);
    };
    worker.onerror = () => {
      clearTimeout(late);
      failed();
    };
    then();
  });
}

// -- model servers, on the one page whose policy allows them -----------------------------------------

async function askModel(method, address, headers, body) {
  const ended = new AbortController(),
    signal = ended.signal;
  /** @type {RequestInit} */
  const how = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", signal };
  const close = () => ended.abort();
  try {
    const found = await plain(address, {
      ...how,
      method,
      headers: JSON.parse(headers),
      body: body || undefined,
      redirect: "manual",
    });
    const reader = found.body?.getReader();
    // At the end, `value` is undefined, which Python reads as None.
    const next = async () => (await reader?.read())?.value;
    // A page cannot see the target of a redirect.
    const status = found.type === "opaqueredirect" ? 302 : found.status;
    return {
      status,
      trouble: "",
      headers: JSON.stringify(Object.fromEntries(found.headers)),
      next,
      close,
    };
  } catch {
    // A browser hides the reason of a failure. A second request, whose answer we may not read,
    // shows whether there is a server at all.
    const there = await plain(new URL("/", address), { ...how, mode: "no-cors" }).then(
      () => true,
      () => false,
    );
    return {
      status: 0,
      trouble: there ? "forbidden" : "nobody",
      headers: "{}",
      next: async () => undefined,
      close,
    };
  }
}

// -- messages --------------------------------------------------------------------------------------

const waiting = [];
let take = null,
  before = Promise.resolve();
self.onmessage = ({ data }) => (take ? next(data) : waiting.push(data));
// Messages are answered one after the other, even if some wait for programs.
const next = (text) => (before = before.then(() => answer(text)));

async function answer(text) {
  const said = JSON.parse(text);
  if (said.does === "forget") {
    await withGames("readwrite", (store) => store.delete(said.id))
      .then(tellGames)
      .catch(unkept);
    return self.postMessage({ answered: JSON.stringify({ refused: null }) });
  }
  if (said.does === "reopen") {
    const kept = await withGames("readonly", (store) => store.get(said.id)).catch(() => null);
    if (!kept)
      return self.postMessage({
        answered: JSON.stringify({ refused: "This game is not kept in this browser any more." }),
      });
    // The rest of an id is the game's index at its table.
    return self.postMessage({
      answered: await take(
        JSON.stringify({ does: "load", text: kept.text, game: said.id, models: said.models }),
      ),
    });
  }
  if (said.does === "game" && said.resume) {
    const kept = await withGames(
      "readonly",
      (store) => store.get(`${said.lesson}-${said.place}`),
      "lessons",
    ).catch(() => null);
    return self.postMessage({ answered: await take(JSON.stringify({ ...said, kept })) });
  }
  if (said.does === "export" || said.does === "import") {
    const done = said.does === "export" ? exportGames().then(() => null) : importGames(said.text);
    const refused = await done.catch(() => "This browser does not let this page keep games.");
    return self.postMessage({ answered: JSON.stringify({ refused }) });
  }
  self.postMessage({ answered: await take(text) });
}

// -- the start -------------------------------------------------------------------------------------

try {
  tellGames().catch(unkept);
  const python = await startPython((progress, part) => self.postMessage({ progress, part }));
  python.globals.set("post", (text) => self.postMessage({ shown: text }));
  python.globals.set("keep", keepGame);
  python.globals.set("run", runElsewhere);
  python.globals.set("fetch", askModel);
  take = python.runPython(`
from explorer.site.host import Host
Host(post, keep, run, fetch).take
`);
  self.postMessage({ ready: true });
  for (const each of waiting.splice(0)) next(each);
} catch (error) {
  self.postMessage({ failed: String(error?.message ?? error).slice(-300) });
}
