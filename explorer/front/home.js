// The first page: an introduction, an episode that plays by itself, and links.
import { make } from "./elements.js";
import { picture } from "./home_pictures.js";
import { Miniature } from "./miniature.js";
import { Story } from "./home_story.js";
import { known } from "./home_known.js";

export function mount(root, send) {
  let story = null;
  let waiting = 0;
  let door = null;

  // A click is reported to the page, which changes without a reload; a host that has changed
  // already returns true. If nobody handles it, the link is followed. Clicks with a modifier key
  // open a tab, as for any link.
  const follow = (name, value) => (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { href } = event.currentTarget;
    clearTimeout(waiting);
    if (send(name, value)) return;
    event.currentTarget.setAttribute("aria-busy", "true");
    waiting = setTimeout(() => location.assign(href), 6000);
  };
  const way = (link, kind) =>
    make("a", { class: kind, href: link.href, onclick: follow("go", link.to), text: link.label });

  const small = (drawing) => {
    const root = make("div", { class: "small" });
    door = new Miniature(root);
    door.show({ drawing, height: 46 });
    return root;
  };

  const shown = (data) => {
    story?.destroy();
    door?.destroy();
    story = new Story(data.story);
    const [first, second] = data.first;
    root.replaceChildren(
      make(
        "div",
        { class: "home" },
        make(
          "section",
          { class: "hero" },
          make(
            "div",
            { class: "words" },
            make("h1", { text: data.title }),
            make("p", { text: data.line }),
            make("div", { class: "ways" }, way(first, "button main"), way(second, "button")),
            data.rooms === false ? null : join(),
            data.rooms === false ? null : known((id) => follow("open", id)),
          ),
          story.root,
        ),
        make(
          "section",
          { class: "doors", "aria-label": "Ways in" },
          ...data.doors.map((door) =>
            make(
              "article",
              { class: "door" },
              door.picture === "grid" ? small(data.story.small) : picture(door.picture),
              make("h2", { text: door.name }),
              make("p", { text: door.about }),
              make(
                "div",
                { class: "ways" },
                ...door.links.map((link, place) => way(link, place ? "more" : "open")),
              ),
            ),
          ),
        ),
      ),
    );
    story.start();
  };

  let drawn = "";
  return {
    show(data) {
      // The page may rerun at any time; the episode continues.
      if (drawn === JSON.stringify(data)) return;
      drawn = JSON.stringify(data);
      shown(data);
    },
    destroy() {
      clearTimeout(waiting);
      story?.destroy();
      door?.destroy();
      root.replaceChildren();
    },
  };
}

// The field for the code of a room: a form that works without a page of ours.
function join() {
  const code = make("input", {
    name: "code",
    id: "code",
    maxlength: 20,
    required: true,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });
  return make(
    "form",
    { class: "join", action: "/room" },
    make("label", { for: "code", text: "Got a room code?" }),
    code,
    make("button", { text: "Join" }),
  );
}
