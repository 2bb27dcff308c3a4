// The pictures of the first page's links, drawn with the same blocks as the grid.
import { svg } from "./elements.js";

const block = (x, y, width, height, fill) => [
  "rect",
  { x, y, width, height, rx: 2.5, fill: `var(--nip-${fill})` },
];

function seats() {
  const seat = (x, badge, letter) => [
    ["rect", { x, y: 18, width: 40, height: 32, rx: 6, fill: `var(--nip-seat-${badge})` }],
    [
      "text",
      {
        x: x + 20,
        y: 39,
        fill: `var(--nip-on-${badge})`,
        "text-anchor": "middle",
        "font-size": 14,
        "font-weight": 600,
      },
      letter,
    ],
  ];
  return [...seat(0, "p1", "P"), ...seat(46, "v", "V")];
}

const curve = () => [
  [
    "path",
    {
      d: "M0 6 C 26 10, 34 40, 60 44 S 104 49, 122 50",
      fill: "none",
      stroke: "var(--nip-text)",
      "stroke-width": 2.5,
      "stroke-linecap": "round",
    },
  ],
  ["circle", { cx: 32, cy: 26, r: 5.5, fill: "var(--nip-seat-p1)" }],
];

const bars = () =>
  [18, 50, 36, 9].map((height, place) =>
    block(place * 22, 50 - height, 17, height, place === 1 ? "seat-p1" : "seat-v"),
  );

const DRAWN = { seats, curve, bars };

export function picture(name) {
  return svg(
    "svg",
    { viewBox: "0 0 124 51", "aria-hidden": "true" },
    ...DRAWN[name]().map(([tag, attributes, text]) => svg(tag, attributes, text ?? "")),
  );
}
