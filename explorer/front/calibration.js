// How well confidence matched the truth over many episodes.

import { make, svg, tableHead, written } from "./elements.js";

export function mount(root) {
  const shown = make("div", { class: "calibration" });
  root.replaceChildren(shown);
  return {
    show({ calibration }) {
      shown.replaceChildren(...diagram(calibration));
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

const SIZE = 260,
  LEFT = 44,
  TOP = 10;

// The share of true statements by confidence; calibrated confidence lies on the diagonal.
function diagram({ bins, notes, brier, log }) {
  const x = (share) => LEFT + SIZE * share,
    y = (share) => TOP + SIZE * (1 - share);
  const label = (text, at, anchor) => {
    const made = svg("text", { x: at[0], y: at[1], "text-anchor": anchor });
    written(made, text);
    return made;
  };
  const most = Math.max(...bins.map((bin) => bin.count));
  const dots = bins.map((bin) => {
    const dot = svg("circle", {
      cx: x(bin.confidence),
      cy: y(bin.true),
      r: 4 + 8 * Math.sqrt(bin.count / most),
      class: "dot",
    });
    const title = svg("title", {});
    written(title, inWords(bin));
    dot.append(title);
    return dot;
  });
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${LEFT + SIZE + 20} ${TOP + SIZE + 40}`,
      class: "diagram",
      role: "img",
      "aria-label": "Stated probability against how often it came true",
    },
    svg("rect", { x: LEFT, y: TOP, width: SIZE, height: SIZE, class: "frame" }),
    svg("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "truth" }),
    ...dots,
    ...[0, 0.5, 1].flatMap((share) => [
      label(`${100 * share}%`, [x(share), TOP + SIZE + 16], "middle"),
      label(`${100 * share}%`, [LEFT - 6, y(share) + 4], "end"),
    ]),
    label("how likely it was said to be", [LEFT + SIZE / 2, TOP + SIZE + 34], "middle"),
  );
  return [
    make("section", {}, make("h3", { text: "How often it was true" }), picture),
    make(
      "section",
      {},
      make("h3", { text: "In numbers" }),
      make("p", {
        text: `${notes} ${notes === 1 ? "note" : "notes"}, Brier score ${brier.toFixed(3)} (0 is best, always saying 50% costs 0.25), log score ${log.toFixed(3).replace("-", "\u2212")} (0 is best, always saying 50% gives −1). On the dashed line, confidence and truth agree.`,
      }),
      make(
        "table",
        { class: "bins" },
        tableHead(["Confidence", "Notes", "True"]),
        make(
          "tbody",
          {},
          ...bins.map((bin) =>
            make(
              "tr",
              {},
              make("th", { scope: "row", text: `${bin.from} to ${bin.to}%` }),
              make("td", { text: bin.count }),
              make("td", { text: `${Math.round(100 * bin.true)}%` }),
            ),
          ),
        ),
      ),
    ),
  ];
}

function inWords(bin) {
  return `${bin.from} to ${bin.to}%: ${bin.count} notes, ${Math.round(100 * bin.true)}% of them about what is true`;
}
