// Keeps the files of the page, so that it opens without a network. packaging/web_page writes which they
// are, and a version that changes with them.

const VERSION = "@version@";
const FILES = ["@files@"];

onactivate = (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== VERSION && name.startsWith("tengen ")) await caches.delete(name);
  await clients.claim();
})());

oninstall = (event) => event.waitUntil((async () => {
  const cache = await caches.open(VERSION);
  await cache.addAll(FILES);
  await skipWaiting();
})());

onfetch = (event) => event.respondWith((async () => {
  const cache = await caches.open(VERSION);
  return await cache.match(event.request, { ignoreSearch: true }) ?? fetch(event.request);
})());
