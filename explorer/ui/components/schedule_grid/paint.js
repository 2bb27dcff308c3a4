// The picture itself. It only reads; all of it is drawn anew at every change.

function colours(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const paper = get("background-color") || "#ffffff";
  return {
    dark: luminance(paper) < 0.2,
    paper,
    text: get("text-color") || "#1b1f27",
    accent: get("primary-color") || "#1a1c22",
    font: get("font") || "system-ui, sans-serif",
  };
}

function luminance(colour) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  const value = probe.fillStyle;
  if (!value.startsWith("#")) return 1;
  const linear = [1, 3, 5].map((at) => (parseInt(value.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function paint(context, data, layout, look, shown) {
  const { scroll, width, selected, hover, cursor } = shown;
  const x = (round) => layout.left + round * layout.cell - scroll;
  const fill = (agent) => data.agents[agent][look.dark ? "dark" : "light"];
  const ink = (agent) => data.agents[agent][look.dark ? "darkInk" : "lightInk"];
  const faint = (share) => { context.globalAlpha = share; };
  let font = "";
  const write = (text, at, y, { size = 12, bold = false, align = "left", room } = {}) => {
    const wanted = `${bold ? 600 : 400} ${size}px ${look.font}`;
    if (wanted !== font) context.font = font = wanted; // slow, even if nothing changes
    context.textAlign = align;
    context.fillText(room ? shorten(context, text, room) : text, at, y);
  };
  const box = (left, top, wide, high, radius = 3) => {
    context.beginPath();
    context.roundRect(left, top, wide, high, radius);
  };
  const first = Math.max(0, Math.floor(scroll / layout.cell));
  const last = Math.min(data.rounds, Math.ceil((scroll + width - layout.left) / layout.cell));
  const bottom = layout.height - AXIS;

  context.clearRect(0, 0, width, layout.height);
  context.textBaseline = "middle";
  context.save();
  context.beginPath();
  context.rect(layout.left, 0, width - layout.left, layout.height);
  context.clip();

  const every = layout.cell >= 24 ? 1 : 5;
  for (let round = first; round < last; round++) {
    if ((round + 1) % every && round !== selected) continue;
    if (round !== selected && Math.abs(round - selected) * layout.cell < 24) continue;
    const centre = x(round) + layout.cell / 2;
    if (centre < layout.left + 8 || centre > width - 8) continue; // it would be cut
    context.fillStyle = look.text;
    const style = { align: "center", bold: round === selected };
    write(String(round + 1), centre, AXIS / 2, style);
    write(String(round + 1), centre, bottom + AXIS / 2, style);
  }

  const places = (lane) => {
    const found = [];
    for (let round = first; round < last; round++) {
      found.push([x(round) + 1, lane.top + 1, layout.cell - 2, lane.height - 2]);
    }
    return found;
  };
  // What is still is most of the picture: one path for all of it.
  context.beginPath();
  for (const lane of layout.lanes) {
    if (!lane.struck) for (const place of places(lane)) context.rect(...place);
  }
  context.fillStyle = look.text;
  faint(0.08);
  context.fill();
  faint(0.5);
  for (const lane of layout.lanes) {
    if (lane.struck) context.fillRect(x(first), lane.top + lane.height / 2, x(last) - x(first), 1);
  }
  faint(1);
  for (const lane of layout.lanes) {
    if (lane.struck) continue;
    const middle = lane.top + lane.height / 2;
    places(lane).forEach((place, index) => {
      const round = first + index;
      const code = lane.cells[round];
      const chance = lane.chances?.[round] ?? 1;
      const centre = place[0] + place[2] / 2;
      context.fillStyle = context.strokeStyle = fill(lane.agent);
      context.lineWidth = 2;
      if (code === "s" || code === "m") {
        const sure = code === "s";
        box(...place);
        faint(sure ? 1 : 0.3);
        context.fill();
        faint(1);
        context.setLineDash([2, 2]);
        if (!sure) context.stroke();
        context.setLineDash([]);
        context.fillStyle = sure ? ink(lane.agent) : look.text;
        const label = data.agents[lane.agent].label;
        const wide = !sure && layout.cell >= 54;
        const text = wide ? `${label} ${Math.round(100 * chance)}%` : label;
        write(text, centre, middle + 0.5, { size: layout.letter, bold: true, align: "center" });
      } else if (code === "c" || code === "d") {
        diamond(context, centre, middle, Math.min(7, layout.cell / 2 - 3));
        context.setLineDash(chance < 1 ? [2, 2] : []);
        if (code === "c" && chance === 1) context.fill();
        context.stroke();
        context.setLineDash([]);
      }
      if (lane.differs?.[round] === "1") {
        box(...place);
        context.strokeStyle = look.accent;
        context.lineWidth = layout.cell < 24 ? 2 : 3;
        context.stroke();
      }
    });
  }
  // Around the lanes of each channel: it must not cross what is written between them.
  context.strokeStyle = look.text;
  context.lineWidth = 2;
  for (const band of new Set(layout.lanes.map((lane) => lane.band))) {
    const own = layout.lanes.filter((lane) => lane.band === band);
    const top = own[0].top, last = own[own.length - 1];
    box(x(selected) - 1, top - 1, layout.cell + 2, last.top + last.height - top + 2, 5);
    context.stroke();
  }
  outline(context, layout, hover, x, look.text, 1, box);
  outline(context, layout, cursor, x, look.text, 2, box);
  context.restore();
  font = "";

  for (const { band, top, height } of layout.headings) {
    context.fillStyle = look.text;
    const readers = band.readers.map((agent) => data.agents[agent][layout.slim ? "label" : "name"]);
    const middle = top + height / 2 + 2;
    write(band.channel, 2, middle, { size: 12.5, bold: true, room: 0.6 * width });
    const after = Math.min(context.measureText(band.channel).width, 0.6 * width) + 12;
    faint(0.75);
    write(`read by ${readers.join(", ") || "nobody"}`, after, middle, { room: width - after });
    faint(1);
  }
  for (const lane of layout.lanes) {
    const { label } = data.agents[lane.agent];
    const middle = lane.top + lane.height / 2;
    const decide = !lane.band.channel;
    faint(lane.struck ? 0.75 : 1);
    box(2, middle - (lane.struck ? 6 : 9), 26, lane.struck ? 12 : 18, 4);
    context.fillStyle = context.strokeStyle = fill(lane.agent);
    context.lineWidth = 1;
    if (lane.struck) context.stroke();
    else context.fill();
    if (lane.odd) {
      context.strokeStyle = look.accent;
      context.lineWidth = 2;
      context.stroke();
    }
    context.fillStyle = lane.struck ? look.text : ink(lane.agent);
    write(decide ? "◆" : label, 15, middle + 0.5, { size: lane.struck ? 9.5 : 11, bold: !lane.struck, align: "center" });
    context.fillStyle = look.text;
    const style = { size: lane.struck ? 11 : 12, bold: decide || lane.odd, room: layout.left - 42 };
    if (!layout.slim) write(nameOf(data, lane), 34, middle + 0.5, style);
    faint(1);
  }
}

function outline(context, layout, cell, x, colour, line, box) {
  if (!cell) return;
  const lane = layout.lanes[cell.lane];
  box(x(cell.round) + 0.5, lane.top + 0.5, layout.cell - 1, lane.height - 1);
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.stroke();
}

function diamond(context, x, y, size) {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

function shorten(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}
