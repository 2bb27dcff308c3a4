// Rewards on the site: charts of default settings, and values for any payoffs and probabilities.

import { make, tableHead, written } from "./elements.js";
import { controlsOf } from "./site_controls.js";
import { part } from "./site_part.js";

export class Rewards {
  constructor(site, section) {
    this.site = site;
    this.protocol = make(
      "select",
      {
        "aria-label": "Protocol of the rewards",
        onchange: () => this.go({ protocol: this.protocol.value }),
      },
      ...site.names(),
    );
    this.pays = make("ul", { class: "words" });
    this.payoffs = make("div", { class: "settings" });
    this.how = make("p", { role: "status" });
    this.rows = make("div", { class: "wide" });
    this.charts = make("div", { class: "charts" });
    section.append(
      make("div", { class: "row" }, this.protocol),
      this.pays,
      make("details", {}, make("summary", { text: "Rules and payoffs" }), this.payoffs),
      this.charts,
      this.rows,
      this.how,
    );
  }

  go(query) {
    location.hash = `rewards?${new URLSearchParams(query)}`;
  }

  async open({ protocol = "mnip", ...rest }) {
    const overtaken = this.site.opening(),
      known = this.site.known(protocol);
    const name = known ? protocol : "mnip";
    this.protocol.value = name;
    this.query = { protocol: known ? name : protocol, ...rest };
    const found = await fetch(new URL(`rewards/${name}.json`, this.site.base)).catch(() => null);
    const data = found?.ok ? await found.json() : null;
    if (overtaken()) return;
    if (!data) return this.site.tell("The rewards could not be loaded. Load the page again.");
    this.answer(data);
    // Python says what is wrong with an address.
    if (Object.keys(rest).length || !known) this.ask();
  }

  // Only the present settings are asked for.
  ask() {
    if (this.waiting) return void (this.again = true);
    this.waiting = true;
    this.site.python.send({ does: "rewards", query: this.query });
  }

  answer({ notes, pays, rows, payoffs, how, charts }) {
    this.waiting = false;
    if (notes.length) this.site.tell(notes.join(" "));
    this.pays.replaceChildren(
      ...pays.map(({ seats, text }) => make("li", { text: `${seats}: ${text}.` })),
    );
    this.payoffs.replaceChildren(
      ...controlsOf(payoffs, (name, value) =>
        this.go({ ...this.query, [name]: JSON.stringify(value) }),
      ),
    );
    written(this.how, how);
    this.rows.replaceChildren(
      make(
        "table",
        {},
        tableHead(["Seat", "Mean", "Mid-point", "Why they differ or agree"]),
        make(
          "tbody",
          {},
          ...rows.map(({ seat, mean, estimate, why }) =>
            make(
              "tr",
              {},
              make("th", { scope: "row", text: seat }),
              make("td", { text: number(mean) }),
              make("td", { text: number(estimate) }),
              make("td", { text: why }),
            ),
          ),
        ),
      ),
    );
    void this.draw(charts);
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
  return value === null ? "–" : value.toFixed(4);
}
