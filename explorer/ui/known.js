export default function ({ parentElement, setTriggerValue }) {
  const place = parentElement.querySelector(".known");
  let known = [];
  try {
    known = JSON.parse(localStorage.getItem("nip-episodes") || "[]");
  } catch {
    /* not ours */
  }
  place.hidden = !known.length;
  const entries = known.slice(0, 6).map((each) => {
    const button = document.createElement("button");
    const title = document.createElement("span"),
      state = document.createElement("small");
    title.textContent = each.title;
    state.textContent = each.over ? "finished" : "in progress";
    button.append(title, state);
    button.addEventListener("click", () => setTriggerValue("open", each.id));
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  const head = document.createElement("h2"),
    list = document.createElement("ul");
  head.textContent = "Continue where you left off";
  list.append(...entries);
  place.replaceChildren(head, list);
  place.dataset.shown = "";
}
