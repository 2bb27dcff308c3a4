// The page where a person answers for a model: the conversation as plain text, and what they send.
// It asks its own server for the question, by addresses relative to the page.

import { make, written } from "./elements.js";

const EVERY = 1000;
const DRAFT = "nip-person-draft";
const ROLES = { system: "Instructions", user: "To you", assistant: "You", tool: "Tool" };
// "Verdict: accept" in our own instructions is offered as a button.
const LINE = /"([A-Z][\w ]{0,30}: [^"\n]{1,60})"/g;
// A number without spaces around it, as JSON writes it.
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

export function mount(root) {
  new PersonPage(root);
}

class PersonPage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.seen = "";
    this.waiting = make("p", { class: "quiet", role: "status" });
    this.place = make("div");
    root.append(make("h1", { text: "Answer as a model" }), this.waiting, this.place);
    this.turn();
  }

  async turn() {
    await this.look();
    setTimeout(() => this.turn(), EVERY);
  }

  async look() {
    const address = `question?seen=${encodeURIComponent(this.seen)}`;
    const found = await fetch(address).catch(() => null);
    if (!found?.ok) {
      this.say("The evaluation cannot be reached. If it is over, close this page.");
      return;
    }
    const { name, waiting, question } = await found.json();
    this.seen = name;
    if (question) this.show(question);
    if (!name) {
      this.place.replaceChildren();
      document.title = "Answer as a model";
      this.say("No question at the moment. The next one appears here by itself.");
    } else {
      const more = waiting === 1 ? "1 more question waits." : `${waiting} more questions wait.`;
      const limit = `You have ${this.minutes} min for an answer. The log keeps your answer and its time.`;
      this.say(waiting ? `${limit} ${more}` : limit);
    }
  }

  say(text) {
    if (this.waiting.textContent !== text) written(this.waiting, text);
  }

  show(question) {
    document.title = "● Answer as a model";
    this.minutes = question.minutes;
    const begun = question.messages.some(({ role }) => role === "assistant");
    const talk = question.messages.map((message) => drawMessage(message, begun));
    const form = new AnswerForm(question, (answer) => this.send(question.name, answer));
    this.place.replaceChildren(make("div", { class: "talk" }, ...talk), form.root);
    // Who begins reads from the top.
    if (begun) talk.at(-1).scrollIntoView({ block: "start" });
    else scrollTo(0, 0);
    form.text.focus({ preventScroll: true });
  }

  async send(name, answer) {
    const sent = await fetch("answer", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, ...answer }),
    }).catch(() => null);
    if (sent?.ok) localStorage.removeItem(DRAFT);
    // One that no longer waits is replaced by the next one.
    else if (sent?.status !== 409)
      return sent
        ? (await sent.json()).problem
        : "The evaluation cannot be reached. Send it again.";
    await this.look();
    return "";
  }
}

// Instructions are open at the beginning, and folded once the person has answered.
function drawMessage({ role, text }, begun) {
  const body = make("div", { class: "text" }, ...drawBlocks(text));
  const title = ROLES[role] ?? role;
  if (role === "system")
    return make("details", { class: role, open: !begun }, make("summary", { text: title }), body);
  return make("article", { class: role }, make("h2", { text: title }), body);
}

// Code between lines of three backticks stands in boxes; nothing else is read as markup.
function drawBlocks(text) {
  return text
    .split(/^```.*$/m)
    .map((part, at) => [at % 2 ? "pre" : "p", part.replace(/^\n+|\n+$/g, "")])
    .filter(([, part]) => part)
    .map(([tag, part]) => make(tag, { text: part }));
}

class AnswerForm {
  constructor(question, send) {
    this.question = question;
    this.send = send;
    this.fields = [];
    const { messages, tools, needs_tool, note, name } = question;
    this.text = make("textarea", { id: "text", rows: 6, oninput: () => this.keep() });
    this.tool = make("select", { id: "tool", onchange: () => this.choose() });
    if (!needs_tool) this.tool.append(make("option", { value: "", text: "No tool, only text" }));
    this.tool.append(...tools.map((each) => make("option", { value: each.name, text: each.name })));
    this.label = make("label", { for: "text" });
    this.inputs = make("div", { class: "fields" });
    this.problem = make("p", { class: "problem", role: "alert" });
    this.button = make("button", { type: "submit", class: "main", text: "Send" });
    const cannot = make("button", { type: "button", text: "I cannot answer" });
    cannot.addEventListener("click", () => {
      if (confirm("End this sample without an answer?"))
        this.hand({ declined: true, text: "", tool: "", arguments: {} });
    });
    const choice = [make("label", { for: "tool", text: "Call a tool" }), this.tool];
    this.root = make(
      "form",
      {},
      note ? make("pre", { text: note }) : null,
      ...(tools.length ? choice : []),
      this.inputs,
      this.label,
      this.text,
      make("div", { class: "row" }, ...linesOf(messages).map((line) => this.offer(line))),
      this.problem,
      make(
        "div",
        { class: "row" },
        this.button,
        cannot,
        make("small", { text: "Ctrl+Enter sends." }),
      ),
    );
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit();
    });
    const draft = JSON.parse(localStorage.getItem(DRAFT) ?? "{}");
    const own = draft.name === name ? draft : {};
    this.text.value = own.text ?? "";
    if (tools.some((each) => each.name === own.tool)) this.tool.value = own.tool;
    this.choose(own.values);
  }

  offer(line) {
    const button = make("button", { type: "button", text: line });
    button.addEventListener("click", () => {
      const before = this.text.value.trimEnd();
      this.text.value = before ? `${before}\n${line}` : line;
      this.keep();
      this.text.focus();
    });
    return button;
  }

  choose(values = []) {
    const chosen = this.question.tools.find((each) => each.name === this.tool.value);
    written(this.label, chosen ? "Text beside the call, if any" : "Your answer");
    const { properties = {}, required = [] } = chosen?.parameters ?? {};
    this.fields = Object.entries(properties).map(
      ([name, schema], at) => new Field(name, schema, required.includes(name), values[at]),
    );
    const about = chosen ? [make("p", { class: "quiet", text: chosen.description })] : [];
    this.inputs.replaceChildren(...about, ...this.fields.map((field) => field.root));
    this.inputs.oninput = () => this.keep();
    this.keep();
  }

  // A reload of the page loses nothing.
  keep() {
    written(this.problem, "");
    const values = this.fields.map((field) => field.input.value);
    const draft = {
      name: this.question.name,
      text: this.text.value,
      tool: this.tool.value,
      values,
    };
    localStorage.setItem(DRAFT, JSON.stringify(draft));
  }

  async submit() {
    const given = {};
    try {
      for (const field of this.fields) {
        const value = field.value();
        if (value !== undefined) given[field.name] = value;
      }
    } catch (error) {
      written(this.problem, error.message);
      return;
    }
    const tool = this.question.tools.length ? this.tool.value : "";
    await this.hand({ text: this.text.value, tool, arguments: given });
  }

  async hand(answer) {
    if (this.button.disabled) return;
    this.button.disabled = true;
    written(this.problem, "");
    written(this.problem, await this.send(answer));
    this.button.disabled = false;
  }
}

// Lines that the last message asks for, not those that it quotes from others.
function linesOf(messages) {
  const own = (messages.at(-1)?.text ?? "").split("\n").filter((line) => !line.startsWith("|"));
  const found = own.flatMap((line) => [...line.matchAll(LINE)].map((match) => match[1]));
  return [...new Set(found)].slice(0, 12);
}

// One argument of a tool. What is no text, number, choice, or yes and no is written as JSON.
class Field {
  constructor(name, schema, required, value) {
    this.name = name;
    this.required = required;
    const options = schema.type === "boolean" ? [true, false] : schema.enum;
    const types = ["string", "integer", "number"];
    this.kind = options ? "choice" : types.includes(schema.type) ? schema.type : "json";
    this.options = options;
    const id = `argument-${name}`;
    this.input = options ? make("select", { id }) : make("textarea", { id, rows: 2 });
    if (options) {
      const listed = options.map((each, at) =>
        make("option", { value: String(at), text: shownOption(each) }),
      );
      this.input.append(make("option", { value: "", text: "" }), ...listed);
    }
    if (value) this.input.value = value;
    const about = [
      schema.description,
      this.kind === "json" && `as JSON: ${JSON.stringify(schema)}`,
    ];
    const note = about.filter(Boolean).join("; ");
    const label = make("label", { for: id, text: required ? name : `${name} (optional)` });
    this.root = make("div", {}, label, note ? make("small", { text: note }) : null, this.input);
  }

  // The value for the tool; undefined if there is none.
  value() {
    const text = this.input.value;
    if (!text) {
      if (this.required) throw new Error(`${this.name} is missing.`);
      return undefined;
    }
    if (this.kind === "choice") return this.options[Number(text)];
    if (this.kind === "string") return text;
    if (this.kind === "json") return parsed(this.name, text);
    if (!NUMBER.test(text.trim())) throw new Error(`${this.name} is not a number.`);
    return Number(text);
  }
}

function shownOption(value) {
  if (value === true) return "yes";
  return value === false ? "no" : String(value);
}

function parsed(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON.`);
  }
}
