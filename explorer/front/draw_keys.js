// The editor's keys, as in a music tracker: the cursor is a cell of the grid.

const ARROWS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -10_000],
  End: [0, 10_000],
};

// Handles a key in the grid; returns whether it was one of ours.
export function keyInGrid(editor, event) {
  const { grid } = editor,
    { key } = event,
    command = event.ctrlKey || event.metaKey,
    held = event.altKey || command;
  const place = editor.facts.columns[grid.cursor.column] ?? null;
  if (!held && ARROWS[key]) grid.go(...ARROWS[key], event.shiftKey);
  else if (!held && (key === "Enter" || key === " ")) enter(editor);
  else if (event.altKey && place && (key === "ArrowLeft" || key === "ArrowRight"))
    editor.shift(place[0], place[1], key === "ArrowRight" ? 1 : -1);
  else if (!held && (key === "+" || key === "Insert")) addTurn(editor, place);
  else if (!held && key === "Delete") remove(editor, place, event.shiftKey);
  else if (!held && place && /^[1-9]$/.test(key)) editor.repeat(place[0], Number(key));
  else if (!held && key === "r") toggleEye(editor);
  else if (!held && key === "[" && place && place[1] > 0)
    editor.do("split_stage", { stage: place[0], turn: place[1] });
  else if (command && key === "d" && place) duplicate(editor, ...place);
  else if (command && key === "c" && grid.block().seats.length && place) editor.copyCells();
  else if (command && key === "v" && editor.copied && place) editor.pasteCells();
  else if (key === "Escape") editor.choose(null);
  else return false;
  event.preventDefault();
  return true;
}

function enter(editor) {
  const cell = editor.grid.cell();
  // The panel of what is there already is entered by a second press.
  const again = editor.pick && (!cell || cell.on) && editor.isPicked();
  if (!again) return editor.grid.press();
  return editor.panel.querySelector("input, select, button:not(.close)")?.focus();
}

function addTurn(editor, place) {
  const { stages } = editor.facts;
  const last = stages.length - 1;
  if (place) editor.addTurn(place[0], place[1] + 1);
  else if (editor.grid.cursor.column > 0) editor.addTurn(last, stages[last].turns);
  else editor.addTurn(0, 0);
}

function remove(editor, place, whole) {
  const { grid } = editor,
    cell = grid.cell(),
    { row, heading, turns, stages } = grid.line;
  if (cell) {
    if (whole && place) editor.do("remove_turn", { stage: place[0], turn: place[1] });
    else if (cell.on) editor.toggle(cell);
  } else if (turns && place) editor.do("remove_turn", { stage: place[0], turn: place[1] });
  else if (stages)
    editor.remove("stage", editor.facts.stages[editor.stageAt(grid.cursor.column)].name);
  else if (heading) editor.remove("channel", heading);
  else if (row)
    editor.remove(row[0] === "channel" ? "seat" : row[0], row[0] === "channel" ? row[2] : row[1]);
}

function toggleEye(editor) {
  const { row } = editor.grid.line;
  if (row?.[0] !== "channel") return;
  const [, of, who] = row;
  editor.see("channel", of, who, editor.thing("channel", of).seen[who] === undefined);
}

function duplicate(editor, stage, turn) {
  const to = { to_stage: stage, to_turn: turn + 1 };
  editor.do("copy_turns", { stage, turn, ...to }, () => editor.goTo(stage, turn + 1));
}
