// The first page: what this is, an episode that plays itself, and the doors.
import { element } from "./home_element.js";
import { picture } from "./home_pictures.js";
import { Story } from "./home_story.js";
import { known } from "./home_known.js";

export function mount(root, send) {
  let story = null;
  let waiting = 0;

  // A click is told to the page, which changes without being loaded anew. Should nobody hear it,
  // the link is followed after all. Clicks with a key held mean a tab beside, as with any link.
  const follow = (name, value) => (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { href } = event.currentTarget;
    event.currentTarget.setAttribute("aria-busy", "true");
    send(name, value);
    clearTimeout(waiting);
    waiting = setTimeout(() => location.assign(href), 6000);
  };
  const way = (link, kind) => element("a", { class: kind, href: link.href, onclick: follow("go", link.to), text: link.label });

  const shown = (data) => {
    story?.destroy();
    story = new Story(data.story);
    const [first, second] = data.first;
    root.replaceChildren(element("div", { class: "home" }, [
      element("section", { class: "hero" }, [
        element("div", { class: "words" }, [
          element("h1", { text: data.title }),
          element("p", { text: data.line }),
          element("div", { class: "ways" }, [way(first, "button main"), way(second, "button")]),
          join(),
          known((id) => follow("open", id)),
        ]),
        story.root,
      ]),
      element("section", { class: "doors", "aria-label": "Ways in" }, data.doors.map((door) =>
        element("article", { class: "door" }, [
          picture(door.picture),
          element("h2", { text: door.name }),
          element("p", { text: door.about }),
          element("div", { class: "ways" }, door.links.map((link, place) => way(link, place ? "more" : "open"))),
        ]))),
    ]));
    story.start();
  };

  let drawn = "";
  return {
    show(data) {
      // The page runs again for many a reason; the episode goes on.
      if (drawn === JSON.stringify(data)) return;
      drawn = JSON.stringify(data);
      shown(data);
    },
    destroy() {
      clearTimeout(waiting);
      story?.destroy();
      root.replaceChildren();
    },
  };
}

// The way into a room, for whoever reads its code from a wall: a form that needs no page of ours.
function join() {
  const code = element("input", { name: "code", id: "code", maxlength: 20, required: "", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  return element("form", { class: "join", action: "/room" }, [
    element("label", { for: "code", text: "Got a room code?" }), code, element("button", { text: "Join" })]);
}
