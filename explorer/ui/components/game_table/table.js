// The table as one seat sees it. Streamlit calls this again whenever the seat's view changes.

const tables = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  let table = tables.get(parentElement);
  if (!table) {
    table = new Table(parentElement);
    tables.set(parentElement, table);
  }
  table.show(data, setTriggerValue);
  return () => tables.delete(parentElement);
}

class Table {
  constructor(root) {
    this.root = root.querySelector(".table");
    const find = (name) => root.querySelector(`.${name}`);
    Object.assign(this, { headline: find("headline"), track: find("track"), problem: find("problem"), channels: find("channels"), end: find("end"), lines: find("lines"), thinking: find("thinking"), seat: find("seat"), reach: find("reach") });
    this.place = { id: "" };
    this.composer = new Composer(find("composer"), this.place);
    this.channels.addEventListener("keydown", (event) => this.key(event));
    this.reach.addEventListener("click", () => this.toggle());
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.root.classList.contains("reached")) this.toggle(); });
  }

  toggle() {
    const open = this.root.classList.toggle("reached");
    this.reach.textContent = open ? "Back to the talk" : "Problem";
    this.reach.setAttribute("aria-expanded", open);
    if (open) this.problem.focus();
  }

  show(data, send) {
    this.data = data;
    this.send = send;
    this.place.id = data.episode;
    this.dark = isDark(this.root);
    // What is written on the accent: whichever stands out.
    this.headline.textContent = data.headline;
    this.once("track", [data.schedule, data.round, data.ending !== null, this.dark], () => this.drawTrack());
    this.once("problem", [data.statement], () => this.drawProblem());
    this.once("channels", [data.channels, data.agents, this.dark], () => this.drawChannels());
    this.once("end", [data.ending, data.confidence, this.dark], () => this.drawEnd());
    this.once("seat", [data.seat, data.prompt, data.stance, data.briefing], () => this.drawSeat());
    this.once("lines", data.tree, () => this.drawLines(send));
    this.thinking.hidden = data.thinking === null;
    this.thinking.textContent = `Somebody is thinking... ${data.thinking || ""}`;
    this.composer.show(data, send);
    remember(data);
  }

  // Draw a part only when what it shows has changed, so that nothing a person is reading moves.
  once(part, facts, draw) {
    const mark = JSON.stringify(facts);
    this.marks = this.marks || {};
    if (this.marks[part] === mark) return;
    this.marks[part] = mark;
    draw();
  }

  drawTrack() {
    const { schedule, round, agents, ending } = this.data;
    this.track.replaceChildren(...schedule.map((turn, index) => {
      const names = turn.speakers.map((agent) => agents[agent].name).join(" and ") || "nobody";
      const now = index === round && !ending;
      const said = `Round ${index}: ${turn.sure ? "" : "perhaps "}${names}${turn.decides ? "; the verifier may decide" : ""}${now ? "; you are here" : ""}`;
      const mark = turn.speakers.map((agent) => agents[agent].label).join(turn.sure ? " " : "/") || "·";
      return make("li", { class: now ? "now" : index < round ? "past" : "", title: said, "aria-current": now ? "step" : null },
        make("small", { text: index, "aria-hidden": "true" }),
        make("span", { text: mark + (turn.decides ? " ◆" : ""), "aria-label": said, role: "img" }));
    }));
    this.track.querySelector(".now")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  drawProblem() {
    const { statement } = this.data;
    const head = make("h2", { text: statement.title || "The problem" }, statement.difficulty ? make("span", { class: "tag", text: statement.difficulty }) : null);
    const parts = [head];
    if (statement.graphs) parts.push(...this.graphs(statement));
    else {
      parts.push(rich("p", flowing(statement.question), { class: "question" }), make("h3", { text: "The proposed solution" }),
        codeLines(statement.solution, (line, text) => this.quote(line, text)));
    }
    this.problem.replaceChildren(...parts);
  }

  graphs(statement) {
    const pictures = make("div", { class: "graphs" });
    const draw = (layout) => pictures.replaceChildren(...statement.graphs.map((graph) => make("figure", { style: "margin:0" }, make("figcaption", { text: `Graph ${graph.name}` }), drawGraph(graph, layout))));
    const choice = make("select", { "aria-label": "How the graphs are drawn", onchange: () => draw(choice.value) }, ...statement.layouts.map((name) => make("option", { value: name, text: name })));
    draw(statement.layouts[0]);
    return [make("p", { class: "question", text: `The statement: ${statement.solution}` }), make("p", {}, "Drawing: ", choice), pictures,
      make("details", {}, make("summary", { text: "In words" }), make("p", { class: "question", text: statement.question }))];
  }

  quote(line, text) {
    if (this.root.classList.contains("reached")) this.toggle();
    this.composer.insert(`Line ${line}: \`${text}\``);
  }

  drawChannels() {
    const { channels, agents } = this.data;
    this.channels.replaceChildren(...channels.map((channel) => {
      const readers = channel.readers.join(", ") || "nobody";
      if (channel.closed) {
        return make("article", { class: "channel closed" }, make("h3", { text: `🔒 ${channel.name}` }),
          make("p", { class: "none", text: `Closed to you. Read by ${readers}.` }));
      }
      const messages = channel.messages.map((message) => this.message(message, agents));
      return make("article", { class: "channel" }, make("h3", { text: channel.name }), make("p", { class: "who", text: `Read by ${readers}` }),
        ...(messages.length ? messages : [make("p", { class: "none", text: "Nothing has been said here yet." })]));
    }));
  }

  message(message, agents) {
    const agent = message.sender === null ? null : agents[message.sender];
    const by = make("div", { class: "by" }, agent ? letter(agent, this.dark) : make("span", { class: "letter", text: "?" }),
      make("strong", { text: agent ? agent.name + (message.sender === this.data.seat ? " (you)" : "") : "Somebody" }), make("span", { text: `round ${message.round}` }));
    const made = make("div", { class: "message", "data-round": message.round }, by, rich("p", message.text));
    if (agent) made.style.setProperty("--tone", (this.dark ? agent.dark : agent.light)[0]);
    return made;
  }

  key(event) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step || event.target !== this.channels) return;
    event.preventDefault();
    const rounds = [...new Set([...this.channels.querySelectorAll(".message")].map((each) => Number(each.dataset.round)))].sort((a, b) => a - b);
    if (!rounds.length) return;
    const at = rounds.indexOf(this.lit);
    this.lit = rounds[Math.max(0, Math.min(rounds.length - 1, at < 0 ? (step > 0 ? 0 : rounds.length - 1) : at + step))];
    let first = null;
    for (const each of this.channels.querySelectorAll(".message")) {
      const lit = Number(each.dataset.round) === this.lit;
      each.classList.toggle("lit", lit);
      if (lit && !first) first = each;
    }
    first.scrollIntoView({ block: "nearest" });
  }

  drawEnd() {
    const { ending, agents, confidence } = this.data;
    this.end.hidden = !ending;
    if (!ending) return;
    const right = ending.verdict === null ? "There was no verdict." : ending.verdict === ending.truth ? "The verdict is right." : "The verdict is wrong.";
    const parts = [make("h2", { text: right }), make("p", {}, "Verdict: ", make("strong", { text: ending.verdict || "none" }), ". Truth: ", make("strong", { text: ending.truth }), ".")];
    if (ending.explanation) parts.push(rich("p", ending.explanation));
    if (ending.exposing) parts.push(...exposed(ending.exposing));
    if (ending.renaming) parts.push(make("p", { text: `The renaming: ${ending.renaming.map(([a, b]) => `${a} → ${b}`).join(", ")}` }));
    parts.push(make("table", {}, make("thead", {}, make("tr", {}, ...["Seat", "Reward", "At random", "Why"].map((text) => make("th", { scope: "col", text })))),
      make("tbody", {}, ...ending.rewards.map((paid) => make("tr", {}, make("th", { scope: "row" }, letter(agents[paid.seat], this.dark), ` ${agents[paid.seat].name}`),
        make("td", { class: "number", text: signed(paid.total) }), make("td", { class: "number", title: "The exact mean if the verifier decides at random", text: paid.random === null ? "" : signed(paid.random) }), make("td", { text: paid.why }))))));
    if (confidence.length) parts.push(...course(confidence, ending.truth === "accept" ? 1 : 0, (round) => this.goBack(round)));
    this.end.replaceChildren(...parts);
  }

  // To the position on this line in which a round was played.
  goBack(round) {
    const { nodes, here } = this.data.tree;
    let node = nodes.find((each) => each.id === here);
    while (node && node.round > round) node = nodes.find((each) => each.id === node.parent);
    if (node) this.send("act", { goto: node.id, seat: this.data.seat, mark: `${Date.now()}` });
  }

  drawLines(send) {
    const { nodes, here } = this.data.tree;
    this.lines.hidden = nodes.length < 2;
    const go = (node) => send("act", { goto: node, seat: this.data.seat, mark: `${Date.now()}` });
    this.lines.querySelector("div").replaceChildren(drawTree(nodes, here, go));
    if (nodes.filter((node) => !nodes.some((other) => other.parent === node.id)).length > 1) this.lines.open = true;
  }

  drawSeat() {
    const { agents, seat, stance, prompt, briefing } = this.data;
    const side = stance ? `, arguing for “${stance}”` : "";
    this.seat.querySelector("summary").textContent = `Your seat: ${agents[seat].name}${side}`;
    const parts = [];
    if (briefing) {
      parts.push(make("h3", { text: "What you know" }), make("p", {}, "The truth is ", make("strong", { text: briefing.truth }), "."));
      if (briefing.explanation) parts.push(rich("p", briefing.explanation));
      if (briefing.exposing) parts.push(...exposed(briefing.exposing));
      if (briefing.opening) parts.push(make("h3", { text: "You could open with" }), make("pre", { text: briefing.opening.trim() }));
      for (const [ask, answer] of briefing.answers) parts.push(make("h3", { text: ask }), make("pre", { text: answer }));
      this.seat.open = true;
    }
    parts.push(make("h3", { text: "Your instructions, as a model would get them" }), make("pre", { text: prompt }));
    this.seat.querySelector("div").replaceChildren(...parts);
  }
}

// The browser keeps which episodes it has been at, so that they are found again after a restart.
function remember(data) {
  if (!data.keep) return;
  const key = "nip-episodes";
  const known = (JSON.parse(localStorage.getItem(key) || "[]")).filter((each) => each.id !== data.episode);
  known.unshift({ id: data.episode, title: data.keep.title, over: data.ending !== null });
  localStorage.setItem(key, JSON.stringify(known.slice(0, 12)));
}

function exposed({ input, expected, got }) {
  return [make("p", { text: "An input that shows it:" }), make("pre", { text: `${input}\nexpected  ${expected}\ngot       ${got}` })];
}

function course(notes, truth, goBack) {
  const swing = notes.slice(1).map(([round, value], index) => [Math.abs(value - notes[index][1]), round]).sort((a, b) => b[0] - a[0])[0];
  const brier = notes.reduce((sum, [, value]) => sum + (value / 100 - truth) ** 2, 0) / notes.length;
  const told = notes.map(([round, value]) => `round ${round}: ${value} %`).join(", ");
  const parts = [make("p", { text: `Your confidence that the statement is true: ${told}.` }),
    make("p", { text: `Brier score ${brier.toFixed(3)} (0 is best; always saying 50 % costs 0.25).` })];
  if (swing && swing[0]) {
    parts.push(make("p", { text: `Its largest swing was ${swing[0]} points, in round ${swing[1]}.` }),
      make("button", { type: "button", text: `Go back to round ${swing[1]}`, onclick: () => goBack(swing[1]) }));
  }
  return parts;
}
