// A room's answers: bars beside the expected values, and guesses as a histogram with the truth.

import { make, written } from "./elements.js";
import { LiveView } from "./live.js";
import { decimal, tr, trn, withUnit } from "./words.js";

export function mount(root) {
  const shown = make("div", { class: "tally" });
  root.replaceChildren(shown);
  let before = "";
  let drawn = [];
  const live = new LiveView(({ charts }) => {
    // If only numbers change, they are animated; other changes redraw the chart.
    const made = JSON.stringify(charts.map(structure));
    if (made !== before) {
      drawn = charts.map((chart) => (chart.kind === "histogram" ? histogram(chart) : bars(chart)));
      shown.replaceChildren(...drawn.map((chart) => chart.root));
      before = made;
    }
    charts.forEach((chart, place) => drawn[place].set(chart));
  });
  return {
    show: (data) => live.show(data),
    destroy() {
      live.destroy();
      root.replaceChildren();
    },
  };
}

function structure({ kind, title, unit, low, high, rows, bins }) {
  return [kind, title, unit, low, high, rows?.map((row) => row.name), bins?.length];
}

const percent = (share, digits = 0) =>
  tr("{number}%", { number: decimal(Number((100 * share).toFixed(digits))) });
const size = (share) => `${(100 * share).toFixed(2)}%`;
const short = (number) => Number(number.toFixed(1));

function bars({ title, rows }) {
  const lines = rows.map(({ name }) => {
    const found = make("i", { class: "found" }),
      interval = make("i", { class: "interval", hidden: true });
    const theory = make("i", { class: "theory", hidden: true });
    const count = make("b"),
      expected = make("small"),
      mark = make("span", { class: "mark" });
    return {
      found,
      interval,
      theory,
      count,
      expected,
      mark,
      root: make(
        "div",
        { class: "row" },
        make("span", { class: "name" }, name, mark),
        make("span", { class: "track" }, found, interval, theory),
        make("span", { class: "count" }, count, expected),
      ),
    };
  });
  const note = make("p", { class: "note", hidden: true });
  return {
    root: make(
      "section",
      {},
      title ? make("h3", { text: title }) : null,
      ...lines.map((line) => line.root),
      note,
    ),
    set({ rows: now, total, note: said, counted, best }) {
      now.forEach((row, place) => {
        const line = lines[place],
          rate = row.count / Math.max(1, total);
        const known = row.theory !== null && row.theory !== undefined;
        line.found.style.width = size(rate);
        written(
          line.count,
          total
            ? tr("{n} of {total} ({share})", { n: row.count, total, share: percent(rate) })
            : tr("none yet"),
        );
        line.interval.hidden = row.low === undefined || !total;
        if (!line.interval.hidden) {
          line.interval.style.left = size(row.low);
          line.interval.style.width = size(row.high - row.low);
        }
        line.theory.hidden = !known;
        if (known) line.theory.style.left = size(row.theory);
        written(
          line.expected,
          known ? tr("theory: {share}", { share: percent(row.theory, 1) }) : "",
        );
        written(line.mark, row.right ? `✓ ${tr("right")}` : "");
        line.root.classList.toggle("right", row.right);
      });
      const expected = now.some((row) => row.theory !== null && row.theory !== undefined);
      const legend = expected
        ? best
          ? tr(
              "Line: what the best liars reach in theory. Pale band: 95% interval for the true rate.",
            )
          : tr("Line: what theory expects. Pale band: 95% interval for the true rate.")
        : "";
      written(
        note,
        [counted && total ? tr("Counted: {what}.", { what: counted }) : "", said ?? "", legend]
          .filter(Boolean)
          .join(" "),
      );
      note.hidden = !note.textContent;
    },
  };
}

function histogram({ low, high, unit, bins }) {
  const columns = bins.map(() => make("i"));
  const plot = make("div", { class: "plot" }, ...columns);
  const label = make("span"),
    truth = make("div", { class: "truth", hidden: true }, label),
    band = make("div", { class: "spread", hidden: true });
  const field = make("div", { class: "field", role: "img" }, band, plot, truth);
  const at = (share) =>
    make("span", {
      style: `left: ${size(share)}`,
      text: withUnit(short(low + (high - low) * share), share === 1 ? unit : ""),
    });
  const said = make("p", { class: "note" });
  return {
    root: make(
      "section",
      {},
      field,
      // On a phone, a long unit beside the last number needs the room of the one before.
      make(
        "div",
        { class: "axis" },
        ...[0, 0.25, 0.5, ...(unit.length > 2 ? [] : [0.75]), 1].map(at),
      ),
      said,
    ),
    set({ bins: now, total, median, truth: value, spread, note }) {
      const most = Math.max(1, ...now),
        width = (high - low) / now.length;
      now.forEach((count, place) => {
        columns[place].style.height = size(count / most);
        columns[place].classList.toggle("some", count > 0);
        columns[place].dataset.count = count || "";
        columns[place].title = tr("{low} to {high}: {n}", {
          low: decimal(short(low + place * width)),
          high: withUnit(short(low + (place + 1) * width), unit),
          n: count,
        });
      });
      truth.hidden = value === null;
      if (value !== null) {
        const share = (value - low) / (high - low);
        truth.style.left = size(share);
        // Its words end at the line where it is on the right: they never leave the chart.
        label.style.transform = `translateX(${size(-share)})`;
        const number = withUnit(short(value), unit);
        written(
          label,
          spread ? tr("On average: {number}", { number }) : tr("The truth: {number}", { number }),
        );
      }
      band.hidden = !spread;
      if (spread) {
        band.style.left = size((spread[0] - low) / (high - low));
        band.style.width = size((spread[1] - spread[0]) / (high - low));
      }
      written(
        said,
        total
          ? trn("{n} guess.", "{n} guesses. Half of them are at most {median}.", total, {
              median: withUnit(short(median), unit),
            })
          : tr("No guesses yet."),
      );
      if (note) said.textContent += ` ${note}`;
      const counts = columns
        .filter((column) => column.dataset.count)
        .map((column) => column.title)
        .join("; ");
      field.setAttribute(
        "aria-label",
        [
          tr("Guesses. {counts}.", { counts: counts || tr("None yet") }),
          value === null ? "" : label.textContent,
        ].join(" "),
      );
    },
  };
}
