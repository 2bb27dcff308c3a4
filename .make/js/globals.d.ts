// What the hosts of our JavaScript provide, for the type checker.

// What a person does is reported to the host of a front.
type Send = (event: string, value?: any) => void;

interface Front {
  show(data: any): void;
  destroy(): void;
}

// A drawing that is shown its data once (explorer/front/touch.js).
interface Playable {
  stage: { destroy(): void };
  data?: any;
  show(data: any): void;
}

interface Window {
  // Values for other components of a page (explorer/front/live.js).
  nipLive?: { said: Record<string, any>; up: () => boolean };
  // Settings that Streamlit reads (explorer/ui/streamlit.js).
  __streamlit?: Record<string, unknown>;
}

// -- the site's files, which begin with this constant (explorer/site/build.py) --------------------

declare const SITE: { mark: string; files: string[]; info: object; runSeconds: number };

declare module "*/pyodide.mjs" {
  export function loadPyodide(options: object): Promise<any>;
}

// -- the site's service worker (the library for workers cannot be loaded beside that for pages) ----

declare const registration: ServiceWorkerRegistration;

interface ExtendableEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface WindowEventMap {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  fetch: FetchEvent;
}

interface Window {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}

// -- notebooks: the constants before explorer/notebook/host.js (explorer/notebook/live.py) ---------

declare const STYLE: string;
declare const PAPER: [light: string, dark: string];
declare function mount(root: HTMLElement, send: Send): Front;

// -- elements -------------------------------------------------------------------------------------

// What we look up in our elements is HTML.
interface HTMLElement {
  readonly children: HTMLCollectionOf<HTMLElement>;
  readonly firstElementChild: HTMLElement | null;
  readonly lastElementChild: HTMLElement | null;
  querySelector(selectors: string): HTMLElement | null;
  closest(selectors: string): HTMLElement | null;
  getRootNode(options?: GetRootNodeOptions): Document | ShadowRoot;
}

interface Element {
  // Browsers write other values as texts.
  setAttribute(name: string, value: number | boolean): void;
}

interface HTMLElementEventMap {
  // A round that was clicked, from 0 (explorer/front/table.js).
  "nip-round": CustomEvent<number>;
  "nip-until": CustomEvent<number | null>;
}
