// A finished game without a server and Python: all screens were made in advance, by variation,
// position and reader.

import { mount as mountTable } from "./hotseat.js";

// `replay` has, for each variation, its positions' numbers and a list of screens for each reader.
export function mount(root, { lines, first }) {
  let { line, place, eyes } = first;
  const table = mountTable(root, (event, value) => {
    if (event === "act") goTo(value?.goto);
    if (event === "press") press(value?.name, value?.value);
    show();
  });

  function press(name, value) {
    if (name === "back") place -= 1;
    if (name === "next") place += 1;
    if (name === "place") place = value;
    if (name === "eyes") eyes = value;
    if (name === "line") line = Number(value);
  }

  function goTo(node) {
    const found = [line, ...lines.keys()].find((each) => lines[each].nodes.includes(node));
    if (found === undefined) return;
    line = found;
    place = lines[line].nodes.indexOf(node);
  }

  function show() {
    place = Math.max(0, Math.min(place, lines[line].nodes.length - 1));
    table.show(lines[line].screens[eyes][place]);
  }

  show();
  return { destroy: () => table.destroy() };
}
