// The head of the table: the claim, the sides and the turn; at the end the verdict.

import { make } from "./elements.js";
import { badge, rich } from "./table_parts.js";
import { tr } from "./words.js";

export function drawHead(data, dark) {
  const { head, agents } = data;
  const { verdict, brief } = head;
  const known = brief
    ? make(
        "p",
        { class: "brief" },
        `${brief.before} `,
        make("strong", { text: brief.truth }),
        ...rich("span", brief.after).childNodes,
        " ",
        make("span", { class: "task", text: brief.task }),
      )
    : null;
  const sides = make(
    "ul",
    { class: "sides" },
    ...head.sides.map(({ seats, text }) =>
      make(
        "li",
        {},
        ...seats.map((seat) => badge(agents[seat], seat, dark)),
        make("span", { text }),
      ),
    ),
  );
  const now = make(
    "p",
    { class: "now" },
    make("strong", { text: head.now }),
    head.means ? make("span", { class: "means", text: ` ${head.means}` }) : null,
  );
  if (!verdict)
    return [
      make("h2", { class: "headline", role: "status", text: `“${head.claim}”` }),
      known,
      sides,
      now,
    ].filter(Boolean);
  const first = make(
    "h2",
    { class: "headline", role: "status" },
    make("span", { class: "sign", "aria-hidden": "true", text: verdict.sign }),
    ` ${verdict.word}: ${verdict.text}`,
  );
  const claim = `${head.asks ?? tr("The claim")}: “${head.claim}”`;
  return [
    first,
    rich("p", verdict.why, { class: "why", title: verdict.why }),
    make("p", { class: "now" }, make("strong", { text: head.now }), ` ${claim}`),
  ];
}

// The state of the head, for its colours: as it is for the reader.
export function stateOf({ head, you }) {
  if (head.verdict) return { true: "right", false: "wrong" }[head.verdict.good] || "undecided";
  return you ? "play" : "watch";
}
