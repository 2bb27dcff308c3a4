"""What Streamlit calls of a front, in every order that it may take."""

from __future__ import annotations

from explorer.ui.components.front import ADAPTER

PAGE = """<!doctype html><div id="here"><div class="nip-front"></div></div>
<script type="module">
window.log = [];
let mounted = 0;
const mount = () => {
  const name = ++mounted;
  return {
    show: (data) => log.push(`${name} shows ${data}`),
    destroy: () => log.push(`${name} ends`),
  };
};
ADAPTER
window.draw = front;
</script>""".replace("ADAPTER", ADAPTER.replace("export default function", "function front"))

# Each step draws (a letter) or calls what the drawing of that letter gave (the same, large).
ORDERS = {
    "one after the other": ("aAbB", ["1 shows a", "1 ends", "2 shows b", "2 ends"]),
    "new data": ("abB", ["1 shows a", "1 shows b", "1 ends"]),
    "an end that comes late": ("abAcC", ["1 shows a", "1 shows b", "1 shows c", "1 ends"]),
    "two ends": ("abAB", ["1 shows a", "1 shows b", "1 ends"]),
}


def test_a_front_ends_with_its_last_drawing(open_page):
    page = open_page()
    page.set_content(PAGE)
    page.wait_for_function("() => window.draw")
    for name, (steps, said) in ORDERS.items():
        log = page.evaluate(
            """(steps) => {
  const ends = {}, parentElement = document.getElementById("here").cloneNode(true);
  const before = Number((log.at(-1) ?? "0").split(" ")[0]);
  log.length = 0;
  for (const step of steps) {
    const drawn = step.toLowerCase();
    if (step === drawn) ends[drawn] = draw({ parentElement, data: [drawn], setTriggerValue() {} });
    else ends[drawn]();
  }
  return log.map((line) => line.replace(/^[0-9]+/, (name) => name - before));
}""",
            steps,
        )
        assert log == said, name
