"""Streamlit's calls of a front, in every possible order."""

from __future__ import annotations

from explorer.ui.fronts import ADAPTER
from tests.browser.waiting import becomes

PAGE = """<!doctype html><body><script type="module">
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

# Each step draws (a letter), calls the clean-up function of that letter's drawing (the same, upper
# case), inserts the HTML again (=), or removes the element (-). An end is reported after all timers
# have run.
ORDERS = {
    "one after the other": ("aAbB", ["1 shows a", "1 shows b"]),
    "new data": ("abB", ["1 shows a", "1 shows b"]),
    "an end that comes late": ("abAcC", ["1 shows a", "1 shows b", "1 shows c"]),
    "an end though the element stays": ("aA", ["1 shows a"]),
    "it goes away": ("aA-", ["1 shows a", "1 ends"]),
    "it goes away first": ("ab-B", ["1 shows a", "1 shows b", "1 ends"]),
    "it goes away, and two ends come": ("ab-AB", ["1 shows a", "1 shows b", "1 ends"]),
    "the HTML is put up anew": ("a=b-B", ["1 shows a", "1 ends", "2 shows b", "2 ends"]),
}


def test_a_front_ends_once_its_element_is_gone(open_page):
    page = open_page()
    page.set_content(PAGE)
    page.wait_for_function("() => window.draw")
    for steps, said in ORDERS.values():
        page.evaluate(
            """(steps) => {
  const ends = {}, parentElement = document.createElement("div");
  const putUp = () => { parentElement.innerHTML = '<div class="nip-front"></div>'; };
  putUp();
  document.body.append(parentElement);
  const before = Number((window.last ?? "0").split(" ")[0]);
  log.length = 0;
  for (const step of steps) {
    const drawn = step.toLowerCase();
    if (step === "-") parentElement.remove();
    else if (step === "=") putUp();
    else if (step === drawn) {
      ends[drawn] = draw({ parentElement, data: [drawn], setTriggerValue() {} });
    } else ends[drawn]();
  }
  window.read = () => log.map((line) => line.replace(/^[0-9]+/, (name) => name - before));
}""",
            steps,
        )
        # Longer than a front waits before it looks again whether its element is there.
        page.clock.run_for(5_000)
        becomes(lambda: page.evaluate("read()"), said)
        page.evaluate("window.last = log.at(-1)")
