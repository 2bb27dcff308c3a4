// Caches the whole site under its digest: after the first visit, it works without a network.
const NAME = `nip-site-${SITE.mark}`;
const FILES = SITE.files;

// Several sites on one server have separate caches, named by their folders.
const OWN = `nip-site:${registration.scope}:`;
const HERE = `${OWN}${NAME}`;

self.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(HERE);
    await Promise.all(
      FILES.map(async (file) => {
        // Files that the page has just fetched are not sent again unless they changed on the server.
        const found = await fetch(file, { cache: "no-cache" });
        if (!found.ok) throw new Error(file);
        await cache.put(file, found);
      }),
    );
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
  const clear = async () => {
    for (const name of await caches.keys())
      if (name.startsWith(OWN) && name !== HERE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clear());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  const found = async () => {
    const cache = await caches.open(HERE);
    const page = event.request.mode === "navigate" && !/\/(models|embed)\.html$/.test(url.pathname);
    return (
      (await cache.match(page ? "./" : event.request, { ignoreSearch: true })) ||
      fetch(event.request)
    );
  };
  event.respondWith(found());
});
