// The table with a script: keys, the order of choosing, panels that stay open, sharing. Everything works without it.
const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

// --- the order in which cards are chosen: it is the order in which they are discarded ---
let order = [];

function count() {
  const chosen = all("#hand input:checked, #card-stock:checked").filter((input) => input.type === "checkbox");
  const values = chosen.map((input) => input.value);
  order = order.filter((card) => values.includes(card));
  order.push(...values.filter((card) => !order.includes(card)));
  for (const input of all(".handbox input[type=checkbox]")) {
    const place = order.indexOf(input.value) + 1;
    if (place && order.length > 1) input.parentElement.dataset.order = place;
    else delete input.parentElement.dataset.order;
  }
  const field = $("#move [name=order]");
  if (field) field.value = order.join(" ");
}

// Before htmx reads the form, and for forms that it does not send.
document.addEventListener("change", (event) => {
  if (event.target.matches(".handbox input")) count();
}, true);

// An answer that another one has overtaken: the table it is for is gone. What came meanwhile is as new, or asks again.
function overtaken({ target, detail }) {
  if (!target.isConnected) detail.shouldSwap = false;
}

function fresh() {
  // A table that is gone tells nobody but itself.
  $("#table").addEventListener("htmx:beforeSwap", overtaken);
  const told = all(".handbox [data-order]")
    .sort((a, b) => a.dataset.order - b.dataset.order)
    .map((label) => label.querySelector("input").value);
  if (!chosen.length) order = told;
  count();
  wind();
  for (const element of all("[data-opens], [data-copy]")) element.hidden = false;
}

// --- what the server says of the selection: words change, buttons stay, so that no click falls between two of them ---
htmx.defineExtension("words", {
  isInlineSwap: (style) => style === "words",
  handleSwap(style, target, fragment) {
    if (style !== "words") return false;
    const plan = fragment.firstElementChild;
    if (plan.id !== "plan") {
      // No words but a refusal: the whole table comes anew.
      $("#table").replaceWith(plan);
      return [plan];
    }
    const pairs = [...plan.querySelectorAll("button")].map((fresh) => [target.querySelector(`#${fresh.id}`), fresh]);
    if (pairs.every(([button, fresh]) => button?.value === fresh.value)) {
      for (const [button, fresh] of pairs) {
        button.toggleAttribute("aria-disabled", false);
        for (const { name, value } of fresh.attributes) button.setAttribute(name, value);
        button.replaceChildren(...fresh.childNodes);
      }
      target.querySelector("output").replaceWith(plan.querySelector("output"));
    } else target.replaceWith(plan);
    return true;
  },
});

// --- panels stay open and the focus stays at the table over a swap ---
let opened = [];
let focused = "";
let kept = { chosen: [], typed: "" };
let chosen = [];
let goesOn = true;
let played = false;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap) return;
  goesOn = !$("#h-over");
  opened = all("#table details[open][id]").map((details) => details.id);
  focused = document.activeElement.closest("#table [id]")?.id ?? "";
  // What others do and say, while this person chooses or types, takes neither away.
  const { elt } = detail.requestConfig;
  const aside = elt.name === "pace" || !elt.matches("#move, #tools, .watch");
  played = elt.id === "move" && !detail.isError;
  chosen = [];
  kept = {
    chosen: aside ? all("#hand input:checked") : [],
    typed: (aside && $("#typed")?.value) || "",
  };
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  if (kept.typed && $("#typed")) $("#typed").value = kept.typed;
  // A card chosen to be played is not one to be discarded. Each piece of an answer that lies elsewhere comes here, too.
  chosen.push(...kept.chosen.map(({ id, type }) => $(`#hand #${CSS.escape(id)}[type=${type}]:enabled`)).filter(Boolean));
  for (const input of chosen) input.checked = true;
  kept = { chosen: [], typed: "" };
  // htmx finds what had the focus by its id; if that is gone, the nearest thing has it.
  if (focused && document.activeElement === document.body) {
    const same = $(`#${CSS.escape(focused)} > summary`) ?? document.getElementById(focused);
    const near = focused.startsWith("card-") ? all("#hand input:enabled").at(-1) : null;
    for (const element of [same, near, $("#act-main"), $("#h-over")]) {
      element?.focus({ preventScroll: true });
      if (document.activeElement !== document.body) break;
    }
  }
  fresh();
  // What the page was opened with has been read by whoever plays on: the table has the room.
  if (played) for (const note of all("body > .note[role=status]")) note.remove();
  played = false;
  if (goesOn) showEnd();
});

// The end of a game comes into view, wherever the page stood: whole if there is room, its beginning if there is not.
function showEnd() {
  const end = $(".over");
  if (!end) return;
  $("#h-over").focus({ preventScroll: true });
  end.scrollIntoView({ block: end.offsetHeight < innerHeight ? "nearest" : "start" });
}

// What others have said is read by now.
let unread = 0;
document.addEventListener("htmx:oobAfterSwap", ({ detail: { target } }) => {
  if (target.id !== "heard") return;
  clearTimeout(unread);
  unread = setTimeout(() => target.replaceChildren(), 7000);
});

document.addEventListener("htmx:afterSettle", () => {
  // What was chosen while one waited can be played now: the server says what it would do.
  if (chosen.length && $("#act-main[name]")) chosen[0].dispatchEvent(new Event("change", { bubbles: true }));
  chosen = [];
});

// What comes by itself waits for a click that has begun, and for the answer to what was sent by hand.
const ASKS = "#advance, #here";
let pressed = false;
let sent = 0;
let asking = false;
const late = new Set();
function catchUp() {
  if (pressed || sent) return;
  for (const id of late) if ($(id)) htmx.trigger($(id), "submit");
  late.clear();
}
document.addEventListener("pointerdown", ({ button, isPrimary }) => { pressed ||= button === 0 && isPrimary; });
// The last ones end a press whose end is never told.
for (const name of ["pointerup", "pointercancel", "contextmenu", "dragend", "visibilitychange", "blur"]) {
  window.addEventListener(name, () => {
    pressed = false;
    setTimeout(catchUp);
  });
}
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt } = event.detail.requestConfig;
  if (!elt.matches(ASKS)) return;
  if (pressed || sent) late.add(`#${elt.id}`);
  // Nothing comes after the end but a rematch.
  else if (elt.id === "advance" || $('#table:not([data-turn="over"]), #rematch')) return;
  event.preventDefault();
});
document.addEventListener("htmx:beforeSend", ({ detail }) => {
  const { elt } = detail.requestConfig;
  if (elt.id === "here") asking = true;
  if (elt.matches(`${ASKS}, .watch`)) return;
  sent += 1;
  if (!asking) return;
  // Its answer would be older than that to what is sent now.
  late.add("#here");
  htmx.trigger("#here", "htmx:abort");
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const { elt } = detail.requestConfig;
  if (elt.id === "here") asking = false;
  if (elt.matches(`${ASKS}, .watch`)) return;
  sent -= 1;
  setTimeout(catchUp, 100); // the answer is shown first, which takes a transition
  const talk = elt.closest("#d-say");
  if (!talk?.open) return;
  talk.open = false;
  talk.querySelector("summary").focus();
});

// --- the time that is left for a turn: counted here, as the server has told it ---
let clock = null;
let ends = 0;
function wind() {
  const shown = $(".clock");
  if (shown && shown !== clock) ends = Date.now() + shown.dataset.left * 1000;
  clock = shown;
}
setInterval(() => {
  if (!clock) return;
  const left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
  const [h, m, s] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const words = h ? clock.dataset.hours.replace("{h}", h).replace("{m}", m) : `${m}:${String(s).padStart(2, "0")}`;
  const digits = clock.querySelector(".digits");
  if (digits.textContent !== words) digits.textContent = words;
  clock.classList.toggle("soon", left <= 10);
}, 500);

// What a click opens in the tools is seen whole: on a phone it would lie under the dock.
document.addEventListener("click", ({ target }) => {
  const summary = target.closest("#tools > details > summary");
  if (summary) setTimeout(() => summary.parentElement.scrollIntoView({ block: "center" }), 0);
});

// --- keys: each control names its own in data-key ---
const keysOn = $("#keys-on");
keysOn.checked = localStorage.getItem("keys") !== "off";
keysOn.addEventListener("change", () => localStorage.setItem("keys", keysOn.checked ? "on" : "off"));

function choice(key) {
  const found = all(`#table [data-key="${CSS.escape(key)}"]`);
  return found.find((element) => element.getAttribute("aria-disabled") !== "true") ?? found[0];
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (target.matches("input[type=text], input:not([type]), textarea, select")) return;
  const control = target.closest("button, a, summary");
  if (key === "Enter") {
    if (control || event.repeat) return event.repeat && event.preventDefault();
  } else if (key === "Escape") {
    if (!choice(key)) return clear();
  } else if (!keysOn.checked) return;
  if (key === "?") return $("#keys")?.showModal();
  const element = choice(key.length === 1 ? key.toLowerCase() : key);
  if (!element || event.repeat) return;
  event.preventDefault();
  if (element.matches("input")) element.focus({ preventScroll: true });
  element.click();
});

function clear() {
  const chosen = all("#move :is(.handbox, #hand) input:checked");
  for (const input of chosen) input.checked = false;
  chosen[0]?.dispatchEvent(new Event("change", { bubbles: true }));
}

// --- buttons that need a script ---
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
});

fresh();
