// Keeping and sharing a drawing: its link and files, the library with versions, and a replay of how
// it was built.

import { button, fill, typed } from "./draw_fields.js";
import { draw, drawCells, flat, layOut, measuring, readDrawing } from "./drawing.js";
import { make, svg, written } from "./elements.js";

// Endings of files, and what they are.
const FILES = {
  toml: ["TOML", "application/toml"],
  json: ["JSON", "application/json"],
  py: ["Python", "text/x-python"],
  mmd: ["Mermaid", "text/plain"],
  svg: ["SVG", "image/svg+xml"],
  tex: ["TikZ", "text/x-tex"],
};
const PAGES = [
  ["protocols", "Its page: pictures, text, Python"],
  ["room", "A room with it"],
];
const TOO_LONG = "It is too long for a link. Keep the file, and open it elsewhere.";
const STEP = 900; // milliseconds of a step of a replay

export class Keeping {
  constructor(editor, dialogs) {
    this.editor = editor;
    this.dialogs = dialogs;
    this.wanted = ""; // the file that is being made
    this.shown = ""; // the dialog that is open
  }

  // Shows what has come since.
  took() {
    const { file } = this.editor.screen;
    if (file && file[0] === this.wanted) this.save(...file);
    if (!this.dialogs.root.open) this.shown = "";
    if (this.shown === "share") this.showShare();
    if (this.shown === "library") this.showLibrary();
    if (this.shown === "replay") this.showReplay();
  }

  // Opens a dialog, for which more has to come from the server.
  open(name, title, look) {
    this.body = make("div", { class: "keeping" });
    this.dialogs.open(title, this.body);
    this.shown = name;
    if (look) this.ask({ look });
  }

  // -- link and files -----------------------------------------------------------------------------

  share() {
    const { isKept, screen } = this.editor;
    this.open("share", "Keep and share", isKept && !screen.library ? "library" : null);
    this.showShare();
  }

  showShare() {
    const { links, title, library } = this.editor.screen;
    fill(this.body, [links, title, library], () => this.sharing(links, title, library));
  }

  sharing(links, title, library) {
    const { editor } = this;
    const link = links.draw && new URL(links.draw, location.origin).href;
    const said = `The link holds the whole protocol “${title}”, in ${link?.length.toLocaleString("en")} characters.`;
    const pages = PAGES.filter(([page]) => links[page]);
    return [
      editor.isApp ? make("p", { text: link ? said : TOO_LONG }) : null,
      link ? this.linkField(link) : null,
      make(
        "div",
        { class: "row" },
        ...Object.entries(FILES).map(([ending, [name]]) =>
          button(name, "", () => this.want(ending), `Download ${name}`),
        ),
        button("Open a file", "", () => editor.source.file.click()),
      ),
      make(
        "div",
        { class: "row" },
        ...pages.map(([page, text]) => make("a", { href: links[page], text })),
      ),
      make("p", { class: "hint", text: "A study takes the TOML file by its name." }),
      ...(editor.isKept ? this.versions(library) : []),
    ];
  }

  linkField(link) {
    const input = make("input", {
      readonly: true,
      value: link,
      "aria-label": "Link with the whole protocol",
    });
    input.addEventListener("focus", () => input.select());
    const copy = button("Copy link", "main", () =>
      navigator.clipboard?.writeText(link).then(() => this.editor.say("Copied.")),
    );
    return make("div", { class: "row" }, input, copy);
  }

  want(ending) {
    const { screen } = this.editor;
    this.wanted = ending;
    if (ending === "json") return this.save(ending, screen.document);
    if (ending === "toml" && screen.text !== null) return this.save(ending, screen.text);
    if (ending !== "toml") return this.ask({ look: ending });
    return this.ask({ look: "text" }, () => this.save(ending, this.editor.screen.text));
  }

  save(ending, content) {
    this.wanted = "";
    const [, type] = FILES[ending],
      { title } = this.editor.screen;
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "_") || "protocol";
    const address = URL.createObjectURL(new Blob([content], { type }));
    make("a", { href: address, download: `${name}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  ask(request, done = null) {
    this.editor.ask(request, (refused) => (refused ? this.editor.refuse(refused) : done?.()));
  }

  // -- the library --------------------------------------------------------------------------------

  keep(done = null) {
    this.ask({ library: "keep" }, () => {
      this.editor.say("Kept in your library.");
      done?.();
    });
  }

  // The drawing that is open is renamed here, too.
  rename(name, title) {
    if (name !== this.editor.screen.place) return this.ask({ library: "rename", name, title });
    return this.editor.do("call_protocol", { title }, () => this.ask({ library: "keep" }));
  }

  // The versions of this drawing.
  versions(library) {
    const { editor } = this,
      own = library?.find((one) => one.name === editor.screen.place && !one.deleted);
    const go = (number) => {
      this.dialogs.close();
      this.ask({ open: number }, () => editor.say("This version is back.", [editor.undoing]));
    };
    const rows = (own?.versions ?? []).map(({ number, title, kept }) =>
      make(
        "li",
        {},
        make("span", { class: "what", text: `Version ${number}: ${title}` }),
        make("small", { text: moment(kept) }),
        button("Go back to it", "small", () => go(number), `Go back to version ${number}`),
      ),
    );
    return [
      make("h3", { text: "Your library" }),
      make(
        "div",
        { class: "row" },
        button(own ? "Keep it as a new version" : "Keep it in your library", "main", () =>
          this.keep(),
        ),
        button("All your drawings", "", () => this.library()),
      ),
      rows.length ? make("ul", { class: "kept" }, ...rows) : null,
    ];
  }

  // All drawings that were kept.
  library() {
    this.open("library", "Your drawings", "library");
    this.showLibrary();
  }

  showLibrary() {
    const { library, place } = this.editor.screen;
    fill(this.body, [library, place], () => this.kept(library, place));
  }

  kept(library, place) {
    const { editor } = this;
    if (!library) return [make("p", { class: "hint", text: "One moment …" })];
    const there = library.filter((one) => !one.deleted);
    const gone = library.filter((one) => one.deleted);
    const remove = ({ name, title }) =>
      this.ask({ library: "delete", name }, () =>
        editor.say(`“${title}” is deleted.`, [
          ["Undo", () => this.ask({ library: "restore", name })],
        ]),
      );
    const rows = there.map((one) =>
      make(
        "li",
        {},
        typed(
          `Name of “${one.title}”`,
          one.title,
          (title) => title && this.rename(one.name, title),
          { class: "what" },
        ),
        make("small", {
          text: `${moment(one.versions[0].kept)}${one.versions.length > 1 ? `, ${one.versions.length} versions` : ""}`,
        }),
        one.name === place
          ? make("small", { text: "open now" })
          : make("a", {
              class: "button",
              href: `/draw?drawing=${one.name}`,
              text: "Open",
              "aria-label": `Open “${one.title}”`,
            }),
        button("Delete", "small", () => remove(one), `Delete “${one.title}”`),
      ),
    );
    const deleted = gone.map(({ name, title }) =>
      make(
        "li",
        {},
        make("span", { class: "what", text: title }),
        button(
          "Restore",
          "small",
          () => this.ask({ library: "restore", name }),
          `Restore “${title}”`,
        ),
      ),
    );
    return [
      there.length
        ? make("ul", { class: "kept" }, ...rows)
        : make("p", { class: "hint", text: "Nothing is kept yet." }),
      make(
        "div",
        { class: "row" },
        button("Keep this one", "main", () => this.keep()),
        make("a", { class: "button", href: "/draw", text: "New drawing" }),
      ),
      deleted.length
        ? make(
            "details",
            { class: "more" },
            make("summary", { text: "Deleted in the last 30 days" }),
            make("ul", { class: "kept" }, ...deleted),
          )
        : null,
    ];
  }

  // -- how it was built ---------------------------------------------------------------------------

  replay() {
    this.steps = null;
    this.open("replay", "How it was built", "replay");
    this.body.replaceChildren(make("p", { class: "hint", text: "One moment …" }));
    if (this.editor.screen.replay) this.showReplay();
  }

  // It is not painted anew until it is opened again.
  showReplay() {
    const { replay } = this.editor.screen;
    if (!replay || this.steps) return;
    this.steps = replay;
    const picture = svg("svg", { role: "img", "aria-label": "The protocol after this step" });
    const view = make("div", { class: "replayed" }, picture);
    const says = make("p", { class: "does", role: "status" });
    const bar = make("input", {
      type: "range",
      min: 0,
      max: replay.length - 1,
      value: 0,
      "aria-label": "Step",
    });
    const show = (number) => {
      bar.value = String(number);
      bar.style.setProperty("--at", `${(100 * number) / Math.max(1, replay.length - 1)}%`);
      written(says, `${number ? `${number}. ` : ""}${replay[number].words}`);
      bar.setAttribute("aria-valuetext", says.textContent);
      this.paint(picture, view, replay[number].drawing);
    };
    const stop = () => {
      clearInterval(this.playing);
      this.playing = 0;
      written(play, "Play");
    };
    const next = () => {
      const number = Number(bar.value) + 1;
      if (number >= replay.length || !this.dialogs.root.open) return stop();
      return show(number);
    };
    const play = button("Play", "main", () => {
      if (this.playing) return stop();
      if (Number(bar.value) === replay.length - 1) show(0);
      written(play, "Stop");
      this.playing = setInterval(next, STEP);
      return undefined;
    });
    bar.addEventListener("input", () => {
      stop();
      show(Number(bar.value));
    });
    this.body.replaceChildren(says, view, make("div", { class: "row playing" }, play, bar));
    show(0);
  }

  paint(picture, view, plain) {
    const drawing = readDrawing(plain),
      measure = measuring(view);
    const width = view.clientWidth || 600;
    const layout = layOut(drawing, width, { slim: width < 520 });
    const parts = flat(drawing, layout, this.editor.dark, measure);
    picture.setAttribute("viewBox", `0 0 ${layout.width} ${drawing.height}`);
    picture.setAttribute("width", layout.width);
    picture.setAttribute("height", drawing.height);
    picture.replaceChildren(
      ...draw(parts.moving),
      ...drawCells(parts.cells),
      ...draw(parts.numbers),
      ...draw(parts.fixed),
    );
  }
}

function moment(iso) {
  return new Date(iso).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}
