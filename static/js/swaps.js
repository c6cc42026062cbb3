// What every page needs on which htmx swaps a part: whole pages, motion, and a word when the server is silent.

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  const whole = xhr.getResponseHeader("HX-Retarget") === "body";
  // A fault on the way here is told in words that are not ours. One of our own does not matter where the page asks by itself: it will ask again.
  const silent = xhr.status >= 500 && (!whole || requestConfig.elt.matches("#advance, [hx-trigger*='live:changed']"));
  document.getElementById("offline").hidden = !silent;
  if (silent) event.detail.shouldSwap = false;
  if (silent || !whole) return;
  // A whole page, as every error beyond the part is: it comes with its own head.
  event.detail.shouldSwap = false;
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  document.documentElement.replaceWith(document.adoptNode(page.documentElement));
});

// Moves made quickly one after the other are not animated, and nothing is for those who want no motion.
let moved = -Infinity;
let towards = null;
document.addEventListener("htmx:beforeTransition", (event) => {
  const still = document.hidden || document.documentElement.dataset.motion === "still" ||
    matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still || document.activeViewTransition || event.timeStamp - moved < 1000) event.preventDefault();
  else {
    moved = event.timeStamp;
    towards = event.detail.target;
  }
});

// One that the browser breaks off is no fault: what it was to lead to is there all the same. htmx does not look after it.
// Nor after one that comes too late: what it was to change may have been taken away by a quicker answer.
const begin = document.startViewTransition?.bind(document);
if (begin) {
  document.startViewTransition = (update) => {
    const target = towards;
    const transition = begin(() => target?.isConnected ? update() : undefined);
    transition.ready.catch(() => {});
    return transition;
  };
}

for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => { document.getElementById("offline").hidden = false; });
}
