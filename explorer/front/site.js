// The explorer without a server: a page that shows data from the site's build, and asks Python in a
// worker for the rest. The open page is in the address, after the #.

import { make, written } from "./elements.js";
import { mount as mountFirsts } from "./firsts.js";
import { mount as mountHome } from "./home.js";
import { mount as mountMiniature } from "./miniature.js";
import { save } from "./save.js";
import { mount as mountSchedule } from "./schedule.js";
import { controlsOf, option } from "./site_controls.js";
import { Learning } from "./site_learn.js";
import { ModelForm } from "./site_models.js";
import { pack, unpack } from "./site_link.js";
import { part } from "./site_part.js";
import { Python } from "./site_python.js";
import { Rewards } from "./site_rewards.js";

const PAGES = [
  ["home", "Home"],
  ["protocols", "Protocols"],
  ["play", "Play"],
  ["learn", "Learn"],
  ["rewards", "Rewards"],
  ["about", "About"],
];
// The pages that count as part of another page.
const INSIDE = { lesson: "learn", positions: "learn", "first-game": "play", schedule: "protocols" };
const LONGEST = 8000; // characters of an address
const OTHER = "compare.";
const VIEWS = [
  ["grid", "Grid"],
  ["sequence", "Sequence"],
  ["visibility", "Who reads what"],
];

export function mount(document, { first, base }) {
  const site = new Site(document, first, base);
  site.open();
}

// A picture for slides, at twice its size. Its letters are those of this computer.
async function savePicture(name, text) {
  const image = make("img", {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`,
  });
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(name.replace(/svg$/, "png"), await new Promise((done) => canvas.toBlob(done, "image/png")));
}

// Two protocols in one table; what differs is marked.
function sideBySide(rows) {
  const names = Object.keys(rows[0]).filter(
    (name) => name !== "question" && name !== "what" && name !== "differs",
  );
  const head = make(
    "tr",
    {},
    ...["", "", ...names].map((text) => make("th", { scope: "col", text })),
  );
  return make(
    "table",
    { class: "beside" },
    make("thead", {}, head),
    make(
      "tbody",
      {},
      ...rows.map((row) =>
        make(
          "tr",
          { class: row.differs ? "differs" : null },
          make("th", { scope: "row", text: row.question }),
          make("td", { text: row.what }),
          ...names.map((name) => make("td", { text: row[name] })),
        ),
      ),
    ),
  );
}

class Site {
  constructor(document, first, base) {
    this.first = first;
    this.base = base;
    this.parts = {};
    this.link = null;
    this.shown = "";
    this.openings = 0;
    this.python = new Python(
      base,
      (data) => this.heard(data),
      () => this.restarted(),
    );
    this.status = make("span", { class: "status", role: "status" });
    this.progress = make("progress", {
      max: 1,
      value: 0,
      hidden: true,
      "aria-label": "Python is starting",
    });
    // The page with model seats has no other pages, since its policy allows connections elsewhere.
    this.tabs = PAGES.map(([name, title]) =>
      make("a", { href: first.models && name !== "play" ? `./#${name}` : `#${name}`, text: title }),
    );
    document
      .getElementById("head")
      .append(
        make("b", { text: "NIP Explorer" }),
        make("nav", { "aria-label": "Pages" }, ...this.tabs),
        this.progress,
        this.status,
      );
    this.note = make("p", { class: "note", role: "alert", hidden: true });
    this.sections = Object.fromEntries(
      PAGES.map(([name]) => [name, make("section", { id: `page-${name}`, hidden: true })]),
    );
    document.getElementById("main").append(this.note, ...Object.values(this.sections));
    this.protocol = make("select", {
      "aria-label": "Protocol",
      onchange: () => this.goSchedule({ protocol: this.protocol.value }),
    });
    this.view = make(
      "select",
      { "aria-label": "View", onchange: () => this.goSchedule(this.query) },
      ...VIEWS.map(option),
    );
    this.other = make(
      "select",
      { "aria-label": "Compare with", onchange: () => this.goSchedule(this.query, {}) },
      option(["", "Compare with..."]),
      ...this.names(),
    );
    this.protocol.append(...this.names());
    this.buildSchedule();
    this.buildPlay();
    this.learning = new Learning(this, this.sections.learn);
    this.rewards = new Rewards(this, this.sections.rewards);
    this.buildAbout();
    addEventListener("hashchange", () => this.open());
  }

  // Our own protocols, then the published ones by subject.
  names(playable = false, published = true) {
    const shown = this.first.protocols.filter(
      (each) => (each.playable || !playable) && (published || !each.published),
    );
    const families = [...new Set(shown.map((each) => each.published))];
    return families
      .map((family) => {
        const options = shown
          .filter((each) => each.published === family)
          .map(({ name, title }) => option([name, title]));
        return family ? make("optgroup", { label: family }, ...options) : options;
      })
      .flat();
  }

  known(name) {
    return this.first.protocols.find((each) => each.name === name);
  }

  tell(text) {
    this.note.hidden = !text;
    written(this.note, text);
  }

  // -- the address ---------------------------------------------------------------------------------

  async open() {
    this.openings += 1;
    const [name, rest = ""] = location.hash.slice(1).split("?", 2);
    if (location.hash.startsWith("#p=")) return this.openLink(location.hash.slice(3));
    this.tell("");
    const page = this.first.models
      ? "play"
      : (INSIDE[name] ?? (name in this.sections ? name : "home"));
    this.turn(page);
    if (location.hash.length > LONGEST) this.tell("This address is too long to be one of ours.");
    const query = Object.fromEntries(new URLSearchParams(rest.slice(0, LONGEST)));
    if (page === "home") await this.showHome();
    // In links of earlier versions, the name of the page was that of one protocol.
    const shows = "protocol" in query || "compare" in query || name === "schedule";
    this.all.hidden = shows;
    this.one.hidden = !shows;
    if (page === "protocols") await (shows ? this.openSchedule(query) : this.showGallery());
    if (page === "rewards") await this.rewards.open(query);
    if (page === "learn") await this.learning.open(name, query);
    if (name === "first-game") this.begin(this.first.games[0].link);
    if (name === "play" && this.known(query.protocol)?.playable)
      this.setProtocol(query.protocol, query);
    if (page === "play") await this.sketch();
    // The visible page first, then what may be needed later.
    requestAnimationFrame(() => setTimeout(() => this.python.start()));
  }

  turn(page) {
    this.shown = page;
    for (const [name, section] of Object.entries(this.sections)) section.hidden = name !== page;
    PAGES.forEach(([name], place) =>
      this.tabs[place].toggleAttribute("aria-current", name === page),
    );
  }

  // Returns a function that says whether another address has been opened since.
  opening() {
    const number = this.openings;
    return () => number !== this.openings;
  }

  async openLink(text) {
    // The address of the open game.
    if (text === this.packed) return this.turn("play");
    this.turn("play");
    const overtaken = this.opening();
    try {
      const link = await unpack(text);
      if (!overtaken()) this.begin(link);
    } catch (error) {
      if (!overtaken()) this.tell(error.message);
    }
  }

  // -- home ----------------------------------------------------------------------------------------

  async showHome() {
    this.parts.home ??= part(this.sections.home, "home", this.base, mountHome, (_, to) => {
      location.hash = to.query?.compare ? "protocols?protocol=mnip&compare=debate" : to.page;
      return true;
    });
    (await this.parts.home).show(this.first.home);
  }

  // -- protocols -----------------------------------------------------------------------------------

  async showGallery() {
    const [{ mount: mountGallery }, families] = await Promise.all([
      import("./gallery.js"),
      this.fetched("gallery.json"),
    ]);
    if (!families) return this.tell("The gallery could not be loaded. Load the page again.");
    this.parts.gallery ??= part(this.all, "gallery", this.base, mountGallery, (_, { href }) => {
      location.hash = new URL(href).hash;
      return true;
    });
    const first = { family: "", search: "", writes: false };
    (await this.parts.gallery).show({ families, base: "#protocols?protocol=", ...first });
  }

  buildSchedule() {
    this.all = make("div");
    this.one = make("div");
    this.sections.protocols.append(this.all, this.one);
    this.settings = make("div", { class: "settings" });
    this.about = make("p", { class: "about" });
    this.words = make("p", { class: "words" });
    this.drawing = make("div", { class: "drawing" });
    this.beside = make("div", { class: "wide" });
    this.play = make("button", {
      class: "main",
      text: "Play this",
      onclick: () => {
        this.setProtocol(this.query.protocol, this.query);
        location.hash = "play";
      },
    });
    const download = (kind) => () => {
      this.pictureAs = kind;
      this.python.send({ ...this.asked(), does: "picture" });
    };
    this.picture = make("button", { text: "Download the picture (SVG)", onclick: download("svg") });
    this.image = make("button", {
      text: "PNG",
      title: "Download the picture as PNG",
      onclick: download("png"),
    });
    this.otherSettings = make("div", { class: "settings" });
    this.one.append(
      make(
        "div",
        { class: "row" },
        this.protocol,
        this.view,
        this.other,
        this.play,
        this.picture,
        this.image,
      ),
      this.about,
      this.settings,
      this.otherSettings,
      this.drawing,
      this.words,
      this.beside,
    );
  }

  // Keys of the other protocol's settings begin with this in the address.
  goSchedule(query, other = this.otherQuery) {
    const asked = new URLSearchParams(query);
    if (this.view.value !== "grid" && !this.other.value) asked.set("view", this.view.value);
    if (this.other.value) {
      asked.set("compare", this.other.value);
      for (const [name, value] of Object.entries(other))
        if (name !== "protocol") asked.set(`${OTHER}${name}`, value);
    }
    location.hash = `protocols?${asked}`;
  }

  async openSchedule({ view = "grid", compare = "", round = "1", ...query }) {
    const name = this.known(query.protocol) ? query.protocol : "mnip";
    this.protocol.value = name;
    this.view.value = VIEWS.some(([each]) => each === view) ? view : "grid";
    this.other.value = this.known(compare) ? compare : "";
    this.view.disabled = Boolean(this.other.value);
    // Python says what is wrong with an address.
    const usual = name === (query.protocol ?? name) && !compare && this.view.value === "grid";
    const plain = usual && Object.keys(query).length <= 1;
    this.selected = Math.max(0, (Number.parseInt(round, 10) || 1) - 1);
    // The grid with default settings needs no Python.
    const overtaken = this.opening();
    const drawn = await this.schedule(name);
    if (overtaken()) return;
    if (!drawn) return this.tell("This picture could not be loaded. Load the page again.");
    await this.showSchedule(drawn);
    const mine = Object.entries(query).filter(([each]) => !each.startsWith(OTHER));
    this.query = { ...Object.fromEntries(mine), protocol: query.protocol ?? name };
    this.otherQuery = Object.fromEntries(
      Object.entries(query)
        .filter(([each]) => each.startsWith(OTHER))
        .map(([each, value]) => [each.slice(OTHER.length), value]),
    );
    if (!plain) this.python.send({ ...this.asked(compare), does: "schedule" });
  }

  // A protocol's schedule with its default settings, as the site has it; null without a network.
  async schedule(name) {
    return this.fetched(`schedules/${name}.json`);
  }

  async fetched(file) {
    const found = await fetch(new URL(file, this.base)).catch(() => null);
    return found?.ok ? found.json() : null;
  }

  asked(other = this.other.value) {
    const compare = other ? { ...this.otherQuery, protocol: other } : null;
    return { query: this.query, view: this.view.value, compare };
  }

  async showSchedule(data) {
    this.query = data.query;
    written(this.about, data.about);
    written(this.words, data.words);
    this.play.hidden = !data.playable;
    this.beside.replaceChildren(...(data.beside?.length ? [sideBySide(data.beside)] : []));
    if (data.notes.length) this.tell(data.notes.join(" "));
    this.otherQuery = data.other ?? {};
    this.other.value = this.otherQuery.protocol ?? "";
    const beside = controlsOf(data.otherControls ?? [], (name, value) =>
      this.goSchedule(this.query, { ...this.otherQuery, [name]: JSON.stringify(value) }),
    );
    this.otherSettings.replaceChildren(
      ...(beside.length
        ? [make("b", { text: this.known(this.otherQuery.protocol)?.title ?? "" }), ...beside]
        : []),
    );
    this.settings.replaceChildren(
      ...controlsOf(data.controls, (name, value) =>
        this.goSchedule({ ...this.query, [name]: JSON.stringify(value) }),
      ),
    );
    const show = (selected, pick) => ({ picture: data.picture, selected, pick });
    this.parts.schedule ??= part(
      this.drawing,
      "schedule",
      this.base,
      mountSchedule,
      (event, value) => this.picked?.(event, value),
    );
    const front = await this.parts.schedule;
    // A walk needs no Python: the picture has all its rounds.
    this.picked = (event, { round, pick }) => {
      if (event === "pick") front.show(show((this.selected = round), pick));
    };
    const { columns } = JSON.parse(data.picture);
    front.show(show(Math.min(this.selected, Math.max(0, columns - 1)), null));
  }

  // -- play ----------------------------------------------------------------------------------------

  buildPlay() {
    const { first } = this;
    this.game = make(
      "select",
      {
        "aria-label": "Protocol to play",
        onchange: () => {
          this.setProtocol(this.game.value);
          this.sketch();
        },
      },
      ...this.names(true),
    );
    this.seat = make("select", { "aria-label": "Your seat" });
    this.hard = make(
      "select",
      { "aria-label": "Difficulty" },
      option(["code", "Any problem"]),
      ...first.difficulties.map((each) =>
        option([`code:${each}`, `${each[0].toUpperCase()}${each.slice(1)} problem`]),
      ),
    );
    this.hard.value = "code:easy";
    const load = make("input", {
      type: "file",
      accept: ".json",
      "aria-label": "Open a transcript",
      onchange: () => this.upload(load),
    });
    this.intro = make("p", { class: "words" });
    this.drawn = make("div", { class: "sketch" });
    this.models = first.models ? new ModelForm(first.models) : null;
    const other = this.models
      ? this.models.root
      : make(
          "p",
          {},
          make("a", { href: "models.html", text: "Play against a language model of your own" }),
          " (such as llama.cpp or Ollama on this computer)",
        );
    const firsts = make("div");
    part(firsts, "firsts", this.base, mountFirsts, (_, name) =>
      this.begin(first.games.find((game) => game.name === name).link),
    ).then((front) => front.show(first));
    this.start = make(
      "div",
      { class: "start" },
      make("p", { class: "quiet", text: first.beginners }),
      firsts,
      make("h2", { class: "or", text: "or set up a game" }),
      make(
        "div",
        { class: "row" },
        this.game,
        this.seat,
        this.hard,
        make("button", { class: "main", text: "Begin", onclick: () => this.begin(this.chosen()) }),
      ),
      this.intro,
      this.drawn,
      other,
      make("label", { class: "file" }, "Open a transcript, or games that were downloaded: ", load),
    );
    this.kept = make("div", { class: "kept" });
    this.copied = make("button", {
      text: "Copy a link to this position",
      onclick: () => this.copy(),
    });
    this.takeout = make("button", {
      text: "Download the transcript",
      onclick: () => this.python.send({ does: "transcript" }),
    });
    this.bar = make(
      "div",
      { class: "row", hidden: true },
      make("button", { text: "New game", onclick: () => this.leave() }),
      this.copied,
      this.takeout,
    );
    this.place = make("div", { class: "table" });
    this.sections.play.append(this.bar, this.start, this.kept, this.place);
    this.setProtocol("nip");
  }

  /** @param {string} name @param {Record<string, string>} query */
  setProtocol(name, query = { protocol: name }) {
    this.game.value = name;
    this.playing = query;
    const { seats, first, published } = this.known(name);
    this.hard.hidden = Boolean(published);
    this.seat.replaceChildren(
      ...seats.map(([agent, title]) =>
        option([agent, `I am the ${title[0].toLowerCase()}${title.slice(1)}`]),
      ),
      option(["", "All seats: people at this screen"]),
    );
    this.seat.value = first;
  }

  // The chosen protocol with its default settings: a sentence and its picture.
  async sketch() {
    const name = this.game.value;
    const data = await this.schedule(name);
    if (!data || name !== this.game.value) return;
    written(this.intro, data.about);
    this.parts.sketch ??= part(this.drawn, "sketch", this.base, mountMiniature, () => {});
    const { drawing, overview, title } = JSON.parse(data.picture);
    (await this.parts.sketch).show({ drawing: overview ?? drawing, title });
  }

  seed() {
    return crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
  }

  chosen() {
    const me = this.seat.value;
    const agents = this.known(this.game.value).seats.map(([agent]) => agent);
    const seats = Object.fromEntries(
      agents.map((agent, place) => [
        agent,
        me ? (agent === me ? "me" : "scripted") : place ? "friend" : "me",
      ]),
    );
    const { published } = this.known(this.game.value);
    return {
      v: published ? 2 : 1,
      query: this.playing,
      task: published ? "" : this.hard.value,
      seats,
      seed: this.seed(),
    };
  }

  begin(link) {
    this.turn("play");
    this.link = link;
    if (!this.python.ready) this.tell("The table opens as soon as Python has started.");
    this.gameId = crypto.randomUUID?.() ?? String(this.seed());
    this.python.send({
      does: "play",
      link,
      game: this.gameId,
      models: this.models?.chosen(link.seats),
    });
  }

  leave() {
    this.bar.hidden = true;
    this.start.hidden = this.kept.hidden = false;
    this.place.hidden = true;
    this.packed = this.link = this.gameId = null;
    history.pushState(null, "", "#play");
  }

  async showGame({ table, link, note, over, game }) {
    const { mount: mountTable } = await import("./hotseat.js");
    this.parts.table ??= part(this.place, "table", this.base, mountTable, (event, value) => {
      this.said = value;
      this.python.send({ does: "hear", event, value });
    });
    const front = await this.parts.table;
    this.seen = table;
    this.turn("play");
    this.tell(note);
    this.start.hidden = this.kept.hidden = true;
    this.bar.hidden = this.place.hidden = false;
    this.copied.disabled = !link;
    written(this.takeout, over ? "Download the transcript" : "Download what you see");
    front.show(table);
    this.link = link;
    this.gameId = game;
    if (!link) return;
    this.packed = await pack(link);
    // Many variations make a link too long to be opened; the transcript contains all of them.
    this.copied.disabled = this.packed.length > LONGEST;
    history.replaceState(null, "", this.copied.disabled ? "#play" : `#p=${this.packed}`);
  }

  async copy() {
    const done = (text) => {
      written(this.copied, text);
      setTimeout(() => written(this.copied, "Copy a link to this position"), 2500);
    };
    try {
      await navigator.clipboard.writeText(location.href);
      done("Copied");
    } catch {
      done("Copy it from the address bar");
    }
  }

  async upload(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    if (file.size > 40_000_000)
      return this.tell("This file is too large to be a transcript or our games.");
    const text = await file.text();
    if (text.startsWith('{"format":"nip-games/')) return this.python.send({ does: "import", text });
    this.python.send({ does: "load", text, game: crypto.randomUUID?.() ?? String(this.seed()) });
  }

  reopen(id) {
    this.gameId = id;
    this.python.send({ does: "reopen", id, models: this.models?.chosen({}) });
  }

  showKept(games) {
    const rows = games.map(({ id, title, over, at }) =>
      make(
        "li",
        {},
        make("button", { text: over ? "Look back" : "Continue", onclick: () => this.reopen(id) }),
        make("span", { text: title }),
        make("small", { text: new Date(at).toLocaleString() }),
        make("button", {
          class: "quiet",
          text: "Delete",
          "aria-label": `Delete ${title}`,
          onclick: () => this.python.send({ does: "forget", id }),
        }),
      ),
    );
    this.kept.replaceChildren(
      ...(rows.length
        ? [
            make("h2", { text: "Games in this browser" }),
            make("ul", {}, ...rows),
            make("button", {
              text: "Download all games",
              onclick: () => this.python.send({ does: "export" }),
            }),
          ]
        : []),
    );
  }

  // -- about ---------------------------------------------------------------------------------------

  buildAbout() {
    const { first } = this;
    this.sections.about.append(
      make("h1", { text: "About this page" }),
      make("p", {
        class: "words",
        text: `This is NIP Explorer ${first.version}, without a server.`,
      }),
      make("h2", { text: "What is not here" }),
      make("p", { class: "words", text: first.missing }),
      ...(first.source
        ? [make("p", {}, make("a", { href: first.source, rel: "noreferrer", text: first.source }))]
        : []),
      make("h2", { text: "Your games and your privacy" }),
      make("p", { class: "words", text: first.privacy }),
    );
  }

  // -- Python --------------------------------------------------------------------------------------

  heard({ progress, part: share, ready, failed, answered, shown, games, unkept }) {
    if (progress) {
      written(this.status, `${progress}...`);
      this.progress.hidden = false;
      this.progress.value = share;
    }
    if (ready) {
      this.progress.hidden = true;
      written(this.status, "");
      this.tell("");
      document.documentElement.dataset.python = "ready";
      // Started late, since it would compete with the files that Python waits for.
      navigator.serviceWorker?.register(new URL("sw.js", this.base).href).catch(() => {});
    }
    if (failed) {
      this.progress.hidden = true;
      written(this.status, "");
      this.tell(
        `Python could not start (${failed}). The pages that need none still work; load the page again to try once more.`,
      );
    }
    if (answered) {
      const { refused } = JSON.parse(answered);
      if (refused) this.tell(refused);
    }
    if (games) this.showKept(games);
    if (unkept)
      written(
        this.kept,
        "This browser does not let this page keep games. Use the link to a position, or download the transcript.",
      );
    if (!shown) return;
    const { place, data } = JSON.parse(shown);
    if (place === "schedule" && this.shown === "protocols") this.showSchedule(data);
    if (place === "rewards" && this.shown === "rewards") this.rewards.answer(data);
    if (place === "lesson") this.learning.answer(data);
    if (place === "play") this.showGame(data);
    if (place === "file")
      (data.name.endsWith(".svg") && this.pictureAs === "png" ? savePicture : save)(
        data.name,
        data.text,
      );
  }

  async restarted() {
    // The table waits for an answer to what it has sent last.
    const { seen, said } = this;
    if (seen?.table && said?.mark) {
      const error = {
        mark: said.mark,
        message: "This was not done, since it took too long. Try it again, or do something else.",
      };
      (await this.parts.table).show({ ...seen, table: { ...seen.table, error } });
    }
    this.python.start();
    if (this.link) this.begin(this.link);
    else if (this.gameId) this.reopen(this.gameId);
    this.tell("That took too long, so Python was stopped. It starts again at the last position.");
  }
}
