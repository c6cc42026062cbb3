// A replay with a script: keys, playing at three speeds, a slider. Every step is a link or a button that works without it.
const $ = (selector) => document.querySelector(selector);
const main = $("#main");
const PAUSES = { 1: 2000, 2: 1000, 3: 400 };
let speed = "2";
let next = 0;

// --- playing: the next step is taken some time after the last one has arrived ---
const at = () => [Number($("#replay").dataset.ply), Number($("#replay").dataset.last)];
const playing = () => main.dataset.plays === "on";

function plan() {
  clearTimeout(next);
  if (!playing()) return;
  const [ply, last] = at();
  if (ply < last) next = setTimeout(() => $("#to-forward").click(), PAUSES[speed]);
  else pause();
}

function play() {
  const [ply, last] = at();
  if (!last) return;
  main.dataset.plays = "on";
  if (ply < last) plan();
  else $("#to-first").click();
}

function pause() {
  clearTimeout(next);
  main.dataset.plays = "off";
}

function setSpeed(value) {
  $("#speed").value = speed = value;
  plan();
}

function go(ply) {
  $("#to").value = ply;
  $("#go").click();
}

main.dataset.plays = "off";
document.addEventListener("click", (event) => {
  if (event.target.closest("#play")) playing() ? pause() : play();
  // Whoever steps by hand wants to look.
  else if (event.isTrusted && event.target.closest(".jumps, .goto")) pause();
});
document.addEventListener("change", ({ target }) => {
  if (target.id === "speed") setSpeed(target.value);
  if (target.id === "scrub") go(target.value);
});
document.addEventListener("input", ({ target }) => {
  if (target.id !== "scrub") return;
  pause();
  $("#to").value = target.value;
});

// --- a step arrives: what the script put there stays, and so does the focus ---
let focused = "";
let opened = [];
document.addEventListener("htmx:beforeSwap", () => {
  focused = document.activeElement.closest("#replay [id]")?.id ?? "";
  opened = [...document.querySelectorAll("#replay details[open][id]")].map((details) => details.id);
});
document.addEventListener("htmx:afterSwap", () => {
  $("#speed").value = speed;
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  if (focused && document.activeElement === document.body) {
    document.querySelector(`#${focused} > summary, #${focused}:not(details)`)?.focus({ preventScroll: true });
  }
  plan();
});
for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, pause);

// --- keys ---
let keys = localStorage.getItem("keys") !== "off";
const keysOn = $("#keys-on");
if (keysOn) keysOn.checked = keys;
keysOn?.addEventListener("change", () => {
  keys = keysOn.checked;
  localStorage.setItem("keys", keys ? "on" : "off");
});
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !keys) return;
  if (target.matches("input, textarea, select")) return;
  if (key === " ") {
    if (target.closest("button, summary")) return;
    event.preventDefault();
    if (!event.repeat) $("#play").click();
  } else if (key in PAUSES) setSpeed(key);
  else {
    const way = $(`.jumps [data-key="${CSS.escape(key)}"]`);
    if (!way) return;
    event.preventDefault();
    pause();
    way.click();
  }
});
