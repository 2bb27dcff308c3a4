// Drags in the picture of a protocol: a turn by its number, and the edge between two stages. Each
// has a way by clicks in the panel, too.

import { make, svg } from "./elements.js";

const FIRST = 4; // pixels before a press becomes a drag
const TOP = 42;

// Follows a pointer until it is let go; Escape and a second finger end it without an effect.
function following(grid, event, move, end) {
  const { pointerId } = event;
  let last = null;
  const moved = (now) => {
    if (now.pointerId === pointerId) move((last = now));
  };
  const done = (now) => {
    if (now.type === "keydown" && now.key !== "Escape") return;
    if (now.pointerId !== undefined && now.pointerId !== pointerId) return;
    for (const [name, hears] of hearing) removeEventListener(name, hears, true);
    end(now.type === "pointerup" ? now : null, last);
    // The click that follows a drag is none.
    setTimeout(() => {
      grid.dragged = false;
    });
  };
  /** @type {[string, (event: any) => void][]} */
  const hearing = [
    ["pointermove", moved],
    ["pointerup", done],
    ["pointercancel", done],
    ["keydown", done],
  ];
  for (const [name, hears] of hearing) addEventListener(name, hears, true);
}

// A turn can be dropped between turns, or onto one, to be played at once.
export function dragTurn(grid, event, column) {
  const { editor } = grid,
    { facts } = editor;
  const [stage, turn] = facts.columns[column];
  const low = grid.low,
    wide = grid.layout.column,
    begin = event.clientX;
  const { left } = grid.moving.getBoundingClientRect();
  const ghost = svg("svg", {
    class: "ghost",
    viewBox: `${grid.x(column)} ${TOP} ${wide} ${low - TOP}`,
    width: wide,
    height: low - TOP,
  });
  ghost.append(...grid.happens(column));
  const marker = make("i", { class: "drop", hidden: true });
  const veil = svg("rect", {
    class: "veil",
    x: grid.x(column),
    y: TOP,
    width: wide,
    height: low - TOP,
  });
  let drop = null;
  const move = (now) => {
    const by = (now.clientX - begin) / grid.zoom;
    if (!grid.dragged && Math.abs(by) < FIRST) return;
    if (!grid.dragged) {
      grid.dragged = true;
      grid.sheet.append(ghost, marker);
      grid.layer.append(veil);
    }
    ghost.style.transform = `translate(${grid.x(column) + by}px, ${TOP + 12}px)`;
    drop = dropAt(grid, (now.clientX - left) / grid.zoom, column);
    marker.hidden = !drop;
    if (!drop) return;
    const onto = drop.onto !== undefined,
      x = onto ? grid.x(drop.onto) + 1 : drop.x - 2;
    marker.className = onto ? "drop onto" : "drop";
    marker.dataset.words = onto ? "at once" : "";
    marker.style.cssText = `transform:translateX(${x}px);width:${onto ? wide - 2 : 4}px;height:${low - TOP}px`;
  };
  const end = (now) => {
    for (const one of [ghost, marker, veil]) one.remove();
    if (!grid.dragged || !drop || !now) return;
    if (drop.onto !== undefined) {
      const [to, at] = facts.columns[drop.onto];
      editor.do("join_turns", { stage, turn, with_stage: to, with_turn: at });
    } else editor.moveTurn(stage, turn, drop.stage, drop.turn);
  };
  following(grid, event, move, end);
}

function dropAt(grid, x, from) {
  const { columns, stages } = grid.editor.facts;
  const place = (x - grid.layout.left) / grid.layout.column;
  const turns = columns.map((one, n) => (one ? n : -1)).filter((n) => n >= 0);
  const column = Math.max(turns[0], Math.min(turns.at(-1), Math.floor(place)));
  const part = Math.max(0, Math.min(1, place - column));
  const [own, at] = columns[from],
    [stage, turn] = columns[column];
  if (column === from) return null;
  if (part > 0.3 && part < 0.7) return { onto: column };
  const after = part >= 0.7 ? 1 : 0;
  let to = turn + after;
  if (own === stage && at < to) to -= 1;
  if (own === stage && to === at) return null;
  return { stage, turn: Math.min(to, stages[stage].turns), x: grid.x(column + after) };
}

export function dragEdge(grid, event, stage) {
  if (event.button) return;
  event.preventDefault();
  const { stages } = grid.editor.facts,
    begin = event.clientX;
  const wall = stages[stage].first + stages[stage].columns;
  const most = wall + stages[stage + 1].columns - 1;
  const marker = svg("rect", { class: "drop", y: 0, height: grid.low, width: 4, rx: 2 });
  marker.setAttribute("x", grid.x(wall) - 2);
  grid.layer.append(marker);
  let to = wall;
  const move = (now) => {
    grid.dragged = true;
    const by = Math.round((now.clientX - begin) / grid.zoom / grid.layout.column);
    to = Math.max(stages[stage].first + 1, Math.min(most, wall + by));
    marker.setAttribute("x", grid.x(to) - 2);
  };
  const end = (now) => {
    marker.remove();
    if (now && to !== wall) grid.editor.do("stage_edge", { stage, by: to - wall });
  };
  following(grid, event, move, end);
}
