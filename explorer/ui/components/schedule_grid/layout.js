// Where everything on the canvas is, in CSS pixels, and what is said about it.

const HEADING = 26, LANE = 25, STRUCK = 15, AXIS = 24, GAP = 10, SLIM = 520;

function layOut(data, width, measure) {
  const slim = width < SLIM;
  const lanes = data.bands.flatMap((band) => band.lanes.map((lane) => ({ ...lane, band })));
  const names = Math.max(...lanes.map((lane) => measure(nameOf(data, lane))));
  const left = slim ? 36 : Math.min(44 + names, 0.3 * width);
  const cell = Math.max(16, Math.min(96, (width - left - 2) / data.rounds));
  // A letter must fit into its cell; 4 pixels go to the gap and the edge.
  const widest = Math.max(...data.agents.map((agent) => measure(agent.label)));
  const letter = Math.max(8, Math.min(12, (12 * (cell - 4)) / widest));
  const headings = [];
  let y = AXIS;
  for (const band of data.bands) {
    if (band.channel) {
      headings.push({ band, top: y, height: HEADING });
      y += HEADING;
    }
    for (const lane of lanes.filter((own) => own.band === band)) {
      lane.struck = lane.cells[0] === "b";
      lane.height = lane.struck ? STRUCK : LANE;
      lane.top = y;
      y += lane.height;
    }
    y += GAP;
  }
  y += AXIS - GAP;
  return { slim, left, cell, letter, lanes, headings, width: left + cell * data.rounds + 2, height: y };
}

function nameOf(data, lane) {
  return (lane.odd ? "≠ " : "") + (lane.band.channel ? data.agents[lane.agent].name : "Decide");
}

function cellAt(data, layout, x, y) {
  const round = Math.floor((x - layout.left) / layout.cell);
  const lane = layout.lanes.findIndex((own) => y >= own.top && y < own.top + own.height);
  return lane < 0 || round < 0 || round >= data.rounds ? null : { lane, round };
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function percent(lane, round) {
  const chance = lane.chances?.[round];
  return chance === undefined ? "" : ` with probability ${Math.round(100 * chance)}%`;
}

// Who, where, what they have read by then, who will read it: a headline and what follows it.
function describe(data, lane, round) {
  const agent = data.agents[lane.agent].name;
  const chance = percent(lane, round);
  const read = `Has read ${plural(data.seen[lane.agent][round], "message")} of others by then.`;
  const readers = lane.band.readers.filter((reader) => reader !== lane.agent);
  const to = readers.map((reader) => data.agents[reader].name).join(", ") || "nobody";
  const code = lane.cells[round];
  const facts = {
    s: `Speaks. ${read} Will be read by ${to}.`,
    m: `May speak${chance}. ${read} Will be read by ${to}.`,
    r: `Reads, and writes nothing. ${read}`,
    b: "Cannot see this channel.",
    c: `May decide${chance}, and it counts. ${read}`,
    d: `May decide${chance}, but too early to count. ${read}`,
    n: `May not decide. ${read}`,
  }[code];
  let differs = lane.odd ? " In the other protocol it sees this channel differently." : "";
  if (lane.differs?.[round] === "1") differs = " Differs from the other protocol.";
  const where = lane.band.channel ? ` on ${lane.band.channel}` : "";
  return { head: `Round ${round + 1}: ${agent}${where}`, facts: facts + differs };
}
