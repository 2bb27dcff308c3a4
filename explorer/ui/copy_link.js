const SHOWN = 2000; // ms

export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  const label = "Copy link";
  button.onclick = async () => {
    const done = await copy(window.location.href);
    button.textContent = done ? "✓ Copied" : "Copy the address bar";
    status.textContent = done ? "The link is copied." : "The link could not be copied.";
    setTimeout(() => {
      button.textContent = label;
      status.textContent = "";
    }, SHOWN);
  };
}

// Over plain http, as on a workshop's network, browsers have no clipboard object.
async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // If that is refused, the older API is used.
    }
  }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
