// The conversation: a column for each channel, in which the newest messages stay in sight.

import { make } from "./elements.js";
import { badge, compared, hanging, lock, rich, underlined } from "./table_parts.js";
import { tr, trn } from "./words.js";

export class Talk {
  constructor(root) {
    this.root = root;
    this.known = new Set();
    this.fresh = [];
    root.addEventListener("keydown", (event) => this.key(event));
    // New messages are kept in view until the person scrolls, also if the window or the dock
    // changes.
    for (const event of ["wheel", "pointerdown", "touchmove"])
      root.addEventListener(
        event,
        () => {
          this.held = true;
        },
        { passive: true },
      );
    this.watched = new ResizeObserver(() => {
      if (!this.held) this.settle();
    });
    this.watched.observe(root);
  }

  destroy() {
    this.watched.disconnect();
  }

  show(data, dark) {
    const { channels, agents } = data;
    const other = this.place !== `${data.episode}/${data.seat}`;
    this.place = `${data.episode}/${data.seat}`;
    if (other) this.known.clear();
    const fresh = (this.fresh = []),
      heard = new Set();
    this.held = false;
    const chosen = data.chosen?.length || data.composer.held?.choices?.length;
    const columns = channels.length + (chosen ? 1 : 0);
    this.root.style.setProperty("--columns", columns);
    this.root.classList.toggle("single", columns === 1);
    this.root.replaceChildren(
      ...channels.map((channel) => {
        const head = make(
          "h3",
          { title: channel.name },
          ...channel.seats.map((seat) => badge(agents[seat], seat, dark)),
          make("span", { text: channel.title }),
          channel.note && !channel.closed ? make("small", { text: channel.note }) : null,
        );
        if (channel.closed) {
          return make(
            "article",
            { class: "channel closed" },
            head,
            make("p", { class: "none" }, lock(), channel.note),
          );
        }
        const where = channels.length > 1 ? channel.title : "";
        const shown = channel.messages.map((message) => {
          const made = this.message(message, data, dark, heard, where);
          const mark = `${channel.name}/${message.round}/${message.sender}/${message.text}`;
          if (!this.known.has(mark)) {
            this.known.add(mark);
            if (!other) {
              made.classList.add("fresh");
              fresh.push(made);
            }
          }
          return made;
        });
        const held = data.composer.held && data.composer.held.messages[channel.name];
        if (held)
          shown.push(
            this.message(
              {
                sender: data.seat,
                text: held,
                when: tr("waits for the others"),
                round: data.round,
              },
              data,
              dark,
              heard,
              where,
              "held",
            ),
          );
        return make(
          "article",
          { class: "channel" },
          head,
          make(
            "div",
            { class: "lane", role: "group", "aria-label": channel.title, tabindex: 0 },
            ...(shown.length
              ? shown
              : [make("p", { class: "none", text: tr("Nothing has been said here yet.") })]),
          ),
        );
      }),
    );
    if (chosen) this.root.append(this.choices(data, dark));
    this.settle();
  }

  // The choices and values that this seat sees, in a column of their own.
  choices({ chosen, agents, composer }, dark) {
    const rows = chosen.map((made) => choice(agents[made.by], made, dark));
    const waiting = (composer.held?.choices ?? []).map(([what, option]) =>
      make(
        "li",
        { class: "held" },
        make("span", { text: `${what}: ` }),
        make("strong", { text: option }),
        make("small", { text: tr("waits for the others") }),
      ),
    );
    const title = chosen.some(({ by }) => by === "rules")
      ? tr("Choices and values")
      : tr("Choices");
    return make(
      "article",
      { class: "channel chosen" },
      make("h3", {}, make("span", { text: title })),
      make("ul", { class: "lane", "aria-label": title, tabindex: 0 }, ...rows, ...waiting),
    );
  }

  // Scrolls every column to its end, or to the first of several new messages.
  settle() {
    for (const lane of [...this.root.querySelectorAll(".lane"), this.root]) {
      lane.scrollTop = lane.scrollHeight;
      const first = this.fresh.find((each) => lane.contains(each));
      if (first) {
        const over = lane.getBoundingClientRect().top - first.getBoundingClientRect().top + 44;
        if (over > 0) lane.scrollTop -= over;
      }
    }
  }

  message(message, data, dark, heard, where = "", kind = "") {
    const agent = message.sender === null ? null : data.agents[message.sender];
    const mine = message.sender !== null && message.sender === data.you;
    const whose = agent ? (mine ? tr("you") : agent.name) : tr("somebody");
    const name = message.bot ? tr("a bot, for {whose}", { whose }) : whose;
    // In a single column, a message on several channels is shown once, by turn.
    const again = heard.has(`${message.round}/${message.sender}/${message.text}`);
    heard.add(`${message.round}/${message.sender}/${message.text}`);
    const made = make(
      "div",
      {
        class: `message ${kind} ${message.bot ? "bot" : ""} ${again ? "again" : ""}`,
        "data-round": message.round,
        style: `order: ${message.round + 1}`,
      },
      agent
        ? badge(agent, message.sender, dark)
        : make("span", { class: "badge", text: "?", title: tr("The author is hidden") }),
      make("div", { class: "bubble" }, ...said(message.text)),
      make(
        "small",
        { text: `${name}, ${message.when}` },
        where && !again ? make("span", { class: "where", text: ` · ${where}` }) : null,
      ),
    );
    if (!again) this.correct(made, message, data);
    if (message.quotes?.length)
      made.append(...quoted(made.querySelector(".bubble"), message.quotes));
    if (message.comments) {
      made.classList.add("noted");
      made.append(notes(message.comments));
    }
    if (agent) made.style.setProperty("--tone", (dark ? agent.dark : agent.light)[0]);
    return made;
  }

  // After the end, a false clause is underlined, with the facts below it: the first of each liar,
  // and all of the reader's own.
  correct(made, { round, sender, text }, { review, you }) {
    const here = (each) => each.round === round && each.agent === sender;
    const lies = (review?.lies || []).filter((each) => here(each) && text.includes(each.quote));
    const own = (review?.claims || []).filter(
      (each) => here(each) && sender === you && !each.holds && text.includes(each.clause),
    );
    const facts = lies.flatMap((lie) => lie.facts);
    const known = new Set(facts.map((fact) => fact.about));
    for (const fact of [...facts, ...own.filter((each) => !known.has(each.about))]) {
      underlined(made.querySelector(".bubble"), [fact.clause]);
      made.append(compared(fact));
    }
  }

  // Hides what was said from a turn on; shows everything again without one.
  until(round) {
    for (const each of this.root.querySelectorAll(".message"))
      each.hidden = round !== null && Number(each.dataset.round) >= round;
    this.held = false;
    this.settle();
  }

  // Scrolls the messages of a turn into view.
  light(round) {
    this.lit = round;
    const met = new Set();
    for (const each of this.root.querySelectorAll(".message")) {
      const lit = Number(each.dataset.round) === round;
      each.classList.toggle("lit", lit);
      if (lit && !met.has(each.parentNode)) {
        met.add(each.parentNode);
        each.scrollIntoView({ block: "nearest" });
      }
    }
  }

  key(event) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step || event.target !== this.root) return;
    event.preventDefault();
    const rounds = [
      ...new Set(
        [...this.root.querySelectorAll(".message")].map((each) => Number(each.dataset.round)),
      ),
    ].sort((a, b) => a - b);
    if (!rounds.length) return;
    const at = rounds.indexOf(this.lit);
    this.light(
      rounds[
        Math.max(
          0,
          Math.min(rounds.length - 1, at < 0 ? (step > 0 ? 0 : rounds.length - 1) : at + step),
        )
      ],
    );
  }
}

// Quotes are checked against the text: found ones are highlighted, others are marked as not found.
function quoted(bubble, quotes) {
  for (const { text, found } of quotes)
    underlined(bubble, [text], {
      class: found ? "found" : "lost",
      title: found ? tr("This is in the text") : tr("This is not in the text"),
    });
  const lost = quotes.filter((each) => !each.found).length,
    found = quotes.length - lost;
  return [
    found
      ? make("small", {
          class: "found",
          text: trn("✓ {n} quote found in the text", "✓ {n} quotes found in the text", found),
        })
      : null,
    lost
      ? make("small", {
          class: "lost",
          text: trn(
            "✕ {n} quote not found in the text",
            "✕ {n} quotes not found in the text",
            lost,
          ),
        })
      : null,
  ].filter(Boolean);
}

function choice(agent, { by, what, option, when, round }, dark) {
  return make(
    "li",
    { style: `order: ${round + 1}` },
    agent ? badge(agent, by, dark) : null,
    make("span", { text: `${what}: ` }),
    make("strong", { text: option }),
    make("small", { text: when }),
  );
}

// Readers' comments on a message.
function notes(comments) {
  return make(
    "div",
    { class: "notes", role: "group", "aria-label": tr("Comments") },
    ...comments.map(({ by, quote, text }) =>
      make(
        "div",
        { class: "remark" },
        make("small", { text: by }),
        quote ? make("q", { text: quote }) : null,
        make("p", { text }),
      ),
    ),
  );
}

// A text with its code blocks as elements, whose wrapped lines keep their indentation.
function said(text) {
  return text.split(/^```[^\n`]*\n([\s\S]*?)^```[ \t]*$/m).map((part, index) =>
    index % 2
      ? make(
          "pre",
          { class: "code" },
          ...part
            .replace(/\n$/, "")
            .split("\n")
            .map((line) => hanging(make("code", { text: line || " " }), line)),
        )
      : part.trim() || index === 0
        ? rich("p", index ? part.trim() : part)
        : null,
  );
}
