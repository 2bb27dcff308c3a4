// The choice of the page's language. It is kept in a cookie, which the server reads when the page
// is loaded again; for screen readers, the document says which language it is in.

import { make, mounting } from "./elements.js";
import { LANGUAGE, tr } from "./words.js";

const YEAR = 365 * 24 * 3600; // seconds

// `languages` are codes with the languages' own names.
export function languageChoice({ cookie, languages }) {
  document.documentElement.lang = LANGUAGE;
  const options = languages.map(([value, text]) =>
    make("option", { value, text, lang: value, selected: value === LANGUAGE }),
  );
  const choose = () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS
    document.cookie = `${cookie}=${select.value}; path=/; max-age=${YEAR}; samesite=lax`;
    location.reload();
  };
  const select = make("select", { "aria-label": tr("Language"), onchange: choose }, ...options);
  return make("span", { class: "language" }, select);
}

class Language {
  constructor(root) {
    this.root = root;
  }

  show(data) {
    this.root.replaceChildren(languageChoice(data));
  }

  // Pages that are not translated.
  destroy() {
    document.documentElement.lang = "en";
  }
}

export const mount = mounting(Language);
