// Texts in the language of the page. In a bundle for another language than English, the bundler
// replaces the first line by the translations of the bundle's texts. Each text is a literal in a
// call of `tr` or `trn`, so that it is found.

const SPOKEN = { language: "en", words: {}, plural: (n) => Number(n !== 1) };

export const LANGUAGE = SPOKEN.language;

// `values` stand in the places that the text names: {who}.
export function tr(text, values = {}) {
  return filled(SPOKEN.words[text]?.[0] ?? text, values);
}

// The text for one thing or for another number, which is its place {n}.
export function trn(one, many, number, values = {}) {
  const forms = SPOKEN.words[one] ?? [one, many];
  return filled(forms[SPOKEN.plural(number)] ?? many, { n: number, ...values });
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

const MARK = (1.5).toLocaleString(LANGUAGE).charAt(1);

// A number with so many digits after the decimal mark, or as it is.
export function decimal(number, digits = undefined) {
  const text = digits === undefined ? String(number) : number.toFixed(digits);
  return MARK === "." ? text : text.replace(".", MARK);
}

export function percentOf(share, digits = 0) {
  return tr("{number}%", { number: decimal(100 * share, digits) });
}

// "3 darts", "50%".
export function withUnit(number, unit) {
  if (unit === "%") return tr("{number}%", { number: decimal(number) });
  return `${typeof number === "number" ? decimal(number) : number} ${unit ?? ""}`.trim();
}
