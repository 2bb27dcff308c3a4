// Replaces the still picture of a schedule by the app's own grid when it comes near the screen, and
// opens lessons in the page.

const dark = () => {
  const set = document.body.dataset.theme;
  return set === "dark" || (set !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};

function onTheme(changed) {
  new MutationObserver(changed).observe(document.body, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

async function enliven(figure) {
  const { live, module, style } = figure.dataset;
  const [{ mount }, sheet, picture] = await Promise.all([
    import(new URL(module, location.href)),
    fetch(style).then((answer) => answer.text()),
    fetch(live).then((answer) => answer.text()),
  ]);
  const host = document.createElement("div");
  const inside = host.attachShadow({ mode: "open" });
  const rules = document.createElement("style");
  rules.textContent = sheet;
  const root = document.createElement("div");
  root.className = "nip-front";
  inside.append(rules, root);
  figure.append(host);
  const front = mount(root, () => {});
  const paint = () => {
    host.style.colorScheme = dark() ? "dark" : "light";
    host.style.setProperty(
      "--st-background-color",
      getComputedStyle(document.body).backgroundColor,
    );
    front.show({ picture, selected: 0, pick: null, follows: false });
  };
  paint();
  figure.classList.add("is-live");
  onTheme(paint);
}

// Opens a lesson or a drawing in a frame, in the theme of the page, as high as it says it is.
function begin(figure) {
  const frame = document.createElement("iframe");
  const dress = () => {
    const address = `${figure.dataset.frame}&theme=${dark() ? "dark" : "light"}`;
    // Only what stands after the # changes, so that it goes on where it is.
    if (frame.src) frame.contentWindow.location.replace(address);
    else frame.src = address;
  };
  frame.title = figure.dataset.title;
  figure.replaceChildren(frame);
  dress();
  addEventListener("message", ({ data, source }) => {
    const high = data?.["nip-explorer"] === "height" && Number(data.height);
    if (high && source === frame.contentWindow) frame.style.height = `${high + 2}px`;
  });
  onTheme(dress);
  frame.focus();
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      enliven(target).catch((error) => console.warn("The still picture stays.", error));
    }
  },
  { rootMargin: "300px" },
);
for (const figure of document.querySelectorAll(".nip-schedule")) near.observe(figure);
for (const figure of document.querySelectorAll(".nip-framed"))
  figure.querySelector("button").addEventListener("click", () => begin(figure));
