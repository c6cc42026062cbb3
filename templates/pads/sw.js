// Keeps the page of an opened scorepad, and what it is drawn with, for an evening without a network.
// The network comes first: whoever may no longer look sees nothing from here.
const PLACE = "pads";
const EVENING = 18 * 60 * 60 * 1000;
const PATIENCE = 5000;
const PAGE = /^\/pads\/(?!new\/)[-\w]+\/$/;
const BOARD = /^\/pads\/[-\w]+\/board$/;

const bare = (address) => {
  const url = new URL(address);
  url.search = url.hash = "";
  return url.href;
};

async function put(address, answer) {
  const headers = new Headers(answer.headers);
  headers.set("X-Kept", Date.now());
  const { status, statusText } = answer;
  const cache = await caches.open(PLACE);
  await cache.put(bare(address), new Response(await answer.blob(), { status, statusText, headers }));
}

async function kept(address) {
  const cache = await caches.open(PLACE);
  const answer = await cache.match(bare(address), { ignoreVary: true });
  if (answer && Date.now() - answer.headers.get("X-Kept") < EVENING) return answer;
  if (answer) await cache.delete(bare(address), { ignoreVary: true });
}

// From the network, and what came is kept; what is gone there goes here.
async function fresh(request) {
  const answer = await fetch(request);
  if (answer.status === 200) await put(request.url, answer.clone());
  else if (answer.status !== 204 && answer.status < 500) await (await caches.open(PLACE)).delete(bare(request.url), { ignoreVary: true });
  return answer;
}

async function page(request) {
  const copy = await kept(request.url);
  const network = fresh(request);
  if (!copy) return network;
  return Promise.race([
    network.catch(() => copy),
    new Promise((resolve) => setTimeout(resolve, PATIENCE, copy)),
  ]);
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (PAGE.test(url.pathname)) event.respondWith(page(request));
  } else if (BOARD.test(url.pathname)) {
    event.respondWith(fresh(request).catch(async () => (await kept(request.url)) ?? Response.error()));
  } else if (["style", "script", "image", "font", ""].includes(request.destination) && !/^\/(pads|events)\//.test(url.pathname)) {
    event.respondWith(fetch(request).catch(async () => (await kept(request.url)) ?? Response.error()));
  }
});

// The page says what it is made of; what no page needs any more goes.
self.addEventListener("message", ({ data, source }) => {
  const keep = async () => {
    await Promise.all(data.map(async (address) => {
      const answer = await fetch(address);
      if (answer.ok && !answer.redirected) await put(address, answer);
    }));
    const cache = await caches.open(PLACE);
    for (const { url } of await cache.keys()) await kept(url);
    source.postMessage("kept");
  };
  keep().catch(() => {});
});
