// What every page needs on which htmx swaps a part: whole pages, motion, and a word when the server is silent.

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  document.getElementById("offline").hidden = true;
  if (xhr.getResponseHeader("HX-Retarget") !== "body") return;
  // A whole page, as every error beyond the part is: it comes with its own head.
  event.detail.shouldSwap = false;
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  document.documentElement.replaceWith(document.adoptNode(page.documentElement));
});

// Moves made quickly one after the other are not animated, and nothing is for those who want no motion.
let moved = -Infinity;
document.addEventListener("htmx:beforeTransition", (event) => {
  const still = document.hidden || document.documentElement.dataset.motion === "still" ||
    matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still || document.activeViewTransition || event.timeStamp - moved < 1000) event.preventDefault();
  else moved = event.timeStamp;
});

for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => { document.getElementById("offline").hidden = false; });
}
