// Rewards on the site: charts of default settings, and values for any payoffs and probabilities.

import { make, tableHead, written } from "./elements.js";
import { controlsOf } from "./site_controls.js";
import { part } from "./site_part.js";

const CHANCES = [
  ["prior", "The statement is true", 0.5],
  ["decides", "The verifier decides at a turn", 2 / 3],
  ["accepts_true", "Accepts what is true", 0.5],
  ["accepts_false", "Accepts what is false", 0.5],
];

export class Rewards {
  constructor(site, section) {
    this.site = site;
    this.protocol = make(
      "select",
      {
        "aria-label": "Protocol of the rewards",
        onchange: () => this.go({ protocol: this.protocol.value }),
      },
      ...site.names(false, false),
    );
    this.opening = make("p", { class: "words" });
    this.knobs = make("div", { class: "settings" });
    this.payoffs = make("div", { class: "settings" });
    this.says = make("p", { role: "status" });
    this.rows = make("div", { class: "wide" });
    this.charts = make("div", { class: "charts" });
    section.append(
      make("div", { class: "row" }, this.protocol),
      this.opening,
      make("h2", { text: "What each seat is paid on average" }),
      this.knobs,
      make("details", {}, make("summary", { text: "Rules and payoffs" }), this.payoffs),
      this.says,
      this.rows,
      make("h2", { text: "With the default settings" }),
      this.charts,
    );
  }

  go(query) {
    location.hash = `rewards?${new URLSearchParams(query)}`;
  }

  async open({ protocol = "mnip", ...rest }) {
    const overtaken = this.site.opening(),
      known = this.site.known(protocol);
    const name = known && !known.published ? protocol : "mnip";
    if (known?.published)
      this.site.tell("This site does not compute rewards of published protocols.");
    this.protocol.value = name;
    this.query = { protocol: known ? name : protocol, ...rest };
    const found = await fetch(new URL(`rewards/${name}.json`, this.site.base)).catch(() => null);
    const data = found?.ok ? await found.json() : null;
    if (overtaken()) return;
    if (!data) return this.site.tell("The rewards could not be loaded. Load the page again.");
    written(this.opening, data.opening);
    this.answer(data);
    this.knobs.replaceChildren(...CHANCES.map((each) => this.knob(...each)));
    // Python says what is wrong with an address.
    if (Object.keys(rest).length || !known) this.ask();
    await this.draw(data.charts);
  }

  knob(name, label, usual) {
    const given = Number(this.query[name] ?? usual),
      value = given >= 0 && given <= 1 ? given : usual;
    const shown = make("output", { text: percent(value) });
    const slider = make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.01,
      value,
      "aria-label": label,
      oninput: () => {
        written(shown, percent(slider.value));
        this.query[name] = slider.value;
        this.ask();
      },
      onchange: () => history.replaceState(null, "", `#rewards?${new URLSearchParams(this.query)}`),
    });
    return make("label", {}, `${label} `, slider, shown);
  }

  // A drag requests only its present position.
  ask() {
    if (this.waiting) return void (this.again = true);
    this.waiting = true;
    const chances = Object.fromEntries(
      CHANCES.filter(([name]) => name in this.query).map(([name]) => [
        name,
        Number(this.query[name]),
      ]),
    );
    this.site.python.send({ does: "rewards", query: this.query, chances });
  }

  answer({ notes, rows, payoffs, completeness, soundness_error }) {
    this.waiting = false;
    if (notes.length) this.site.tell(notes.join(" "));
    this.payoffs.replaceChildren(
      ...controlsOf(payoffs, (name, value) =>
        this.go({ ...this.query, [name]: JSON.stringify(value) }),
      ),
    );
    written(
      this.says,
      completeness === null
        ? ""
        : `Accepts ${percent(completeness)} of what is true (completeness) and ${percent(soundness_error)} of what is false (soundness error).`,
    );
    this.rows.replaceChildren(
      make(
        "table",
        {},
        tableHead(["Seat", "Exact mean", "Mid-point estimate"]),
        make(
          "tbody",
          {},
          ...rows.map(({ seat, mean, estimate }) =>
            make(
              "tr",
              {},
              make("th", { scope: "row", text: seat }),
              make("td", { text: number(mean) }),
              make("td", { text: number(estimate) }),
            ),
          ),
        ),
      ),
    );
    if (!this.again) return;
    this.again = false;
    this.ask();
  }

  async draw(charts) {
    const { mount } = await import("./chart.js");
    for (const front of this.fronts ?? []) front.destroy();
    this.fronts = [];
    const places = charts.map(({ title }) =>
      make("figure", {}, make("figcaption", { text: title }), make("div")),
    );
    this.charts.replaceChildren(...places);
    for (const [place, data] of charts.entries()) {
      const front = await part(places[place].lastChild, "chart", this.site.base, mount, () => {});
      front.show({ ...data, says: data.words });
      this.fronts.push(front);
    }
  }
}

function number(value) {
  return value === null ? "-" : value.toFixed(4);
}

function percent(value) {
  return `${(100 * value).toFixed(0)}%`;
}
