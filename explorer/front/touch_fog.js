// A story that one cannot read: a consultant or two debaters argue, quotes are bought, and one
// states a probability.

import { make, svg, written } from "./elements.js";
import { COUNT, flag, list, maybe, playable, Stage, Track, whole } from "./touch.js";

const WIDE = 334,
  SHORT = 52,
  TALL = 168,
  LEFT = 14,
  ACROSS = 306,
  STEPS = 20,
  AXIS = 148,
  LOW = 50,
  LETTERS = "AB";

// Which side is right: encoded, so that the page's text does not show it before the decision. The
// same as `opened` in explorer/lessons/playables/fog.py.
function opened(seal) {
  let hash = 0x811c9dc5;
  for (const sign of String(seal)) hash = Math.imul(hash ^ sign.charCodeAt(0), 0x01000193);
  return (hash >>> 15) & 1;
}

class Fog {
  constructor(root) {
    this.stage = new Stage(root, {
      width: WIDE,
      height: SHORT,
      name: "How sure you are, and your results beside published ones",
    });
    this.story = make("div", { class: "story" });
    this.stage.stage.prepend(this.story);
    this.hear = this.stage.button("", () => {
      this.heard = true;
      this.update();
    });
    this.quote = this.stage.button("", () => {
      this.quotes += 1;
      this.update();
    });
    this.decide = this.stage.button("", () => this.judge());
    this.next = this.stage.button("Next story", () => {
      this.place = (this.place + 1) % this.data.stories.length;
      this.begin();
      this.update();
    });
  }

  show(data) {
    this.data = data;
    this.place = 0;
    this.results = [
      [0, 0],
      [0, 0],
    ]; // right and all verdicts, in consultancy and in debate
    this.sure = new Track(this.stage, {
      x: LEFT,
      y: 34,
      wide: ACROSS,
      places: STEPS + 1,
      moved: (place) => this.set(place),
    });
    this.marks = svg("g");
    this.stage.svg.append(this.marks);
    this.begin();
    const coin = whole(1),
      fields = {
        place: whole(data.stories.length - 1),
        turned: coin,
        side: coin,
        heard: flag,
        quotes: COUNT,
        chance: maybe(whole(STEPS)),
        right: maybe(coin),
        score: maybe(Number.isFinite),
        results: list(list(COUNT, 2), 2),
      };
    this.stage.keep(
      data.keep,
      this,
      fields,
      ({ right, score, chance }) =>
        (right === null) === (score === null) && (score === null || chance !== null),
    );
    this.quotes = Math.min(this.quotes, this.all().length);
    this.update();
  }

  get debate() {
    return this.place % 2;
  }

  get now() {
    return this.data.stories[this.place];
  }

  // Consultancy and debate alternate. Random bits decide which side is A, and for which a
  // consultant argues.
  begin() {
    this.turned = Number(Math.random() < 0.5);
    this.side = Number(Math.random() < 0.5);
    this.heard = false;
    this.quotes = 0;
    this.chance = null;
    this.right = this.score = null;
  }

  set(place) {
    if (this.score !== null || place === this.chance) return;
    this.chance = place;
    this.update();
  }

  of(letter) {
    return this.now.sides[letter ^ this.turned];
  }

  speakers() {
    return this.debate ? [0, 1] : [this.side];
  }

  all() {
    const each = this.speakers().map((letter) =>
      this.of(letter).quotes.map((text) => [letter, text]),
    );
    return Array.from({ length: Math.max(...each.map((quotes) => quotes.length)) }, (_, n) =>
      each.map((quotes) => quotes[n]).filter(Boolean),
    ).flat();
  }

  judge() {
    this.right = opened(this.now.seal) ^ this.turned;
    // A probability of 0 for the truth would cost infinitely much.
    const given = Math.min(
      0.99,
      Math.max(0.01, (this.right ? 1 : -1) * (this.chance / STEPS - 0.5) + 0.5),
    );
    this.score = Math.log2(given) - this.data.cost * this.quotes;
    this.results[this.debate][0] += Number(given > 0.5);
    this.results[this.debate][1] += 1;
    this.update();
  }

  update() {
    const { title, question, words } = this.now,
      quotes = this.all(),
      over = this.score !== null;
    this.story.replaceChildren(
      make("h4", { text: `${title}: ${question}` }),
      ...[0, 1].map((letter) =>
        make("p", {
          text: `${LETTERS[letter]}. ${this.of(letter).text}${over && letter === this.right ? " ✓ right" : ""}`,
        }),
      ),
      make("div", {
        class: "fogged",
        role: "img",
        "aria-label": `The story of ${words} words, which you cannot read`,
      }),
      ...(this.heard
        ? this.speakers().map((letter) =>
            make("p", {
              text: `${this.debate ? "Debater" : "Consultant"} for ${LETTERS[letter]}: ${this.of(letter).argument}`,
            }),
          )
        : []),
      ...quotes
        .slice(0, this.quotes)
        .map(([letter, text]) => make("blockquote", { text: `${text} (for ${LETTERS[letter]})` })),
    );
    const unset = this.chance === null,
      percent = Math.round((100 * this.chance) / STEPS);
    this.sure.show(
      this.chance,
      unset ? "How sure: not chosen yet" : `How sure: ${100 - percent}% for A, ${percent}% for B`,
    );
    written(this.decide, unset ? "First set how sure you are" : "Decide");
    this.decide.disabled = unset;
    written(this.hear, this.debate ? "Hear both debaters" : "Hear the consultant");
    written(this.quote, `Buy a quote (${quotes.length - this.quotes} left)`);
    // First one sees the question and may state a probability; then come arguments, then quotes.
    this.hear.hidden = this.heard;
    this.quote.hidden = !this.heard || over || this.quotes === quotes.length;
    this.decide.hidden = !this.heard || over;
    this.next.hidden = !over;
    const played = this.results[0][1] + this.results[1][1];
    this.marks.style.display = played ? "" : "none";
    this.stage.svg.setAttribute("viewBox", `0 0 ${WIDE} ${played ? TALL : SHORT}`);
    if (played) this.compare();
    this.stage.say(this.words(over, percent));
  }

  // Right verdicts, one's own and published ones, on one axis from guessing to always.
  compare() {
    const x = (share) => LEFT + (ACROSS * (Math.max(LOW, share) - LOW)) / (100 - LOW),
      parts = [];
    const label = (text, at, y, anchor) => {
      const made = svg("text", {
        x: at,
        y,
        "font-size": 11,
        "text-anchor": anchor,
        class: "quiet",
      });
      written(made, text);
      return made;
    };
    parts.push(svg("line", { x1: LEFT, x2: LEFT + ACROSS, y1: AXIS, y2: AXIS, class: "axis" }));
    this.data.published.forEach(([share, name], row) => {
      const y = AXIS - 12 - 13 * row,
        right = share > 70;
      parts.push(
        svg("circle", { cx: x(share), cy: y, r: 4, class: "published" }),
        label(`${share}% ${name}`, x(share) + (right ? -8 : 8), y + 4, right ? "end" : "start"),
      );
    });
    this.results.forEach(([right, all], kind) => {
      if (!all) return;
      const share = (100 * right) / all,
        y = AXIS - 68 - 14 * kind,
        far = share > 75;
      parts.push(
        svg("circle", { cx: x(share), cy: y, r: 6, class: "own" }),
        label(
          `you, ${kind ? "debate" : "consultancy"}: ${right} of ${all}`,
          x(share) + (far ? -10 : 10),
          y + 4,
          far ? "end" : "start",
        ),
      );
    });
    parts.push(
      label("50%", LEFT, AXIS + 14, "start"),
      label("100%", LEFT + ACROSS, AXIS + 14, "end"),
    );
    this.marks.replaceChildren(...parts);
  }

  words(over, percent) {
    const { cost } = this.data,
      price = `Each quote costs ${cost}`,
      now = this.chance === null ? "" : ` (now ${100 - percent}% for A, ${percent}% for B)`;
    if (over) {
      const said = Math.max(percent, 100 - percent),
        right = percent > 50 === Boolean(this.right) && percent !== 50;
      const how =
        percent === 50
          ? "You did not decide"
          : right
            ? `Right, and you were ${said}% sure`
            : `Wrong, and you were ${said}% sure`;
      const bias = this.debate
        ? ""
        : this.side === this.right
          ? " The consultant argued for the truth this time; a coin chose."
          : " A coin had made the consultant argue for the wrong answer.";
      return `${how}: log score ${this.score.toFixed(2).replace("-", "−")}, with ${this.quotes} ${this.quotes === 1 ? "quote" : "quotes"}.${bias} The drawing shows published results beside yours.`;
    }
    if (!this.heard)
      return `${this.debate ? "Two debaters argue, one for each answer" : "One consultant argues for an answer that a coin chose"}. They have read the story and you have not. Set how sure you are, if you are at all${now}.`;
    return `${price}, and quotes are verified: they do stand in the story. Buy, set how sure you are${now}, then decide. The score is the logarithm of the chance that you gave to the truth.`;
  }
}

export const mount = playable(Fog);
