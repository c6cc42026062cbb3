// The scorepad with a script: a cell is written in a sheet that opens over the page, what is written stays on the device until it is sent,
// and the page itself stays on the device for an evening without a network. Everything but that works without it.
{
  const $ = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const board = () => $("#board");
  const writes = board().dataset.writes;
  const PLACE = `pad-${board().dataset.pad}`;
  const sent = $("#sent");
  const unsent = $("#unsent");

  // --- what waits on this device: the newest line of each cell, until the server has it ---
  let lines = stored();
  function stored() {
    try {
      return JSON.parse(localStorage.getItem(PLACE)) ?? [];
    } catch {
      return [];
    }
  }
  function store() {
    try {
      if (lines.length) localStorage.setItem(PLACE, JSON.stringify(lines));
      else localStorage.removeItem(PLACE);
    } catch {
      // No room, or none allowed: it waits in this page as long as that is open.
    }
  }
  addEventListener("storage", ({ key }) => {
    if (key !== PLACE) return;
    lines = stored();
    paint();
  });

  const same = (one, other) => one.round === other.round && one.starts === other.starts && (one.starts || one.player === other.player);
  const client = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const waits = () => lines.filter(({ state }) => state === "waits");

  // --- writing and sending ---
  function write(line) {
    const before = lines.find((each) => same(each, line));
    // One on its way may have arrived, though nobody said so. With it, what others wrote since is not seen.
    const covers = before && ["waits", "sent"].includes(before.state);
    const own = covers ? { base: before.base, mine: [...before.mine, before.client] } : { mine: [] };
    lines = [...lines.filter((each) => each !== before), { ...line, ...own, client: client(), state: "waits" }];
    store();
    paint();
    send();
  }

  function fields(line) {
    const body = new URLSearchParams({ client: line.client, base: line.base, mine: line.mine.slice(-20).join(" "), how: line.how ?? "" });
    if (line.starts) body.set("player", line.player);
    else if (line.how === "type") body.set("points", line.points);
    else if (line.how === "count") {
      body.set("sum", line.points);
      for (const [name, number] of Object.entries(line.counts)) body.set(name, number);
    }
    return body;
  }

  const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
  const change = (id, news) => {
    lines = lines.map((line) => (line.client === id ? { ...line, ...news } : line));
    store();
  };

  let sending = false;
  let offline = false;
  async function send() {
    if (sending) return;
    sending = true;
    for (let line; (line = waits()[0]);) {
      const address = new URL(`${line.round}/${line.starts ? "start" : `${line.player}/`}`, new URL(board().dataset.address, location.href));
      let answer, data;
      try {
        const headers = { Accept: "application/json", "X-CSRFToken": token() };
        answer = await fetch(address, { method: "POST", headers, body: fields(line), signal: AbortSignal.timeout(15000) });
        data = await answer.json().catch(() => null);
        offline = false;
      } catch {
        offline = true;
        break;
      }
      if (answer.ok && data) change(line.client, { state: "sent", number: data.number });
      else if (data?.code === "overtaken") change(line.client, { state: "newer", now: data.now });
      else if (data && answer.status >= 400 && answer.status < 500) change(line.client, { state: "refused", message: data.message });
      else break;
    }
    sending = false;
    await refresh();
  }

  // --- looking again ---
  let pristine = board().outerHTML;
  async function refresh() {
    let answer, html;
    try {
      answer = await fetch(`${board().dataset.address}?version=${version()}`);
      html = await answer.text();
    } catch {
      offline = true;
      return repaint();
    }
    // Without a network what came last comes once more, from the device.
    offline = answer.headers.has("X-Kept");
    if (answer.status === 403 || answer.status === 404) return location.reload();
    if (!answer.ok) return repaint();
    if (answer.status === 200) {
      const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("board");
      if (Number(fresh.dataset.version) >= version()) pristine = fresh.outerHTML;
      if (fresh.dataset.writes !== writes && !offline) return location.reload();
    }
    // A board that was on its way before a line arrived does not have it yet.
    lines = lines.filter(({ state, number }) => state !== "sent" || number > version());
    store();
    repaint();
  }
  const version = () => Number(pristine.match(/data-version="(\d+)"/)[1]);

  // News come after a click that has begun, not in the middle of it.
  let pressed = false;
  let late = false;
  function repaint() {
    late = pressed;
    if (!pressed) paint(true);
  }
  document.addEventListener("pointerdown", ({ button, isPrimary }) => { pressed ||= button === 0 && isPrimary; });
  // The last ones end a press whose end is never told.
  for (const name of ["pointerup", "pointercancel", "contextmenu", "dragend", "visibilitychange", "blur"]) {
    addEventListener(name, () => setTimeout(() => {
      pressed = false;
      if (late) repaint();
    }));
  }

  // --- showing what waits ---
  const cellOf = (round, player) => document.getElementById(`c-${round}-${player}`) ?? $(`[data-round="${round}"][data-player="${player}"]`);
  const nameOf = (player) => $(`[data-row="${player}"] bdi`).textContent;

  function paint(fresh = false) {
    if (fresh || $(".unsent", board())) restore();
    const shown = lines.filter(({ state }) => state === "waits" || state === "sent");
    shown.forEach(show);
    if (shown.length) reckon();
    tell();
  }

  function restore() {
    const focused = document.activeElement?.closest("#board [id]")?.id;
    const scrolled = $("#sheet").scrollLeft;
    const opened = $("#d-start")?.open;
    board().outerHTML = pristine;
    $("#sheet").scrollLeft = scrolled;
    if (opened && $("#d-start") && !$("#d-start").open) $("#d-start").open = Boolean(focused?.startsWith("s-"));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    clocks();
  }

  function show(line) {
    if (line.starts) {
      for (const button of all(".starters button")) button.setAttribute("aria-pressed", button.value === String(line.player));
      $(".starters")?.classList.add("unsent");
      return;
    }
    const cell = cellOf(line.round, line.player);
    if (!cell) return;
    cell.classList.add("unsent");
    cell.dataset.points = line.points ?? "";
    cell.dataset.hand = cardsOf(line, "h");
    $("b", cell).textContent = line.points ?? "–";
    for (const beast of all(".beast", cell)) beast.remove();
  }

  const cardsOf = ({ counts = {} }, where) => Object.entries(counts)
    .filter(([name]) => name[0] === where)
    .flatMap(([name, number]) => Array(Number(number)).fill(name.slice(2))).join(" ");

  // Sums, who leads, which round it is and who starts it: as the server would say it.
  function reckon() {
    const rows = all("[data-row]").map((row) => all(".cell", row).map(({ dataset }) => dataset.points));
    const complete = rows[0].map((_, round) => rows.every((row) => row[round] !== ""));
    const even = complete.includes(true) && rows.every((row) => row.every((points, round) => complete[round] || points === ""));
    const totals = rows.map((row) => row.reduce((sum, points) => sum + Number(points), 0));
    all("[data-row]").forEach((row, player) => {
      const sum = $("td.sum", row);
      $("b", sum).textContent = totals[player];
      sum.classList.toggle("leads", even && totals[player] === Math.min(...totals));
    });
    if (!$("[data-round]", $(".padnow"))) return;
    const open = complete.indexOf(false);
    const now = (open < 0 ? complete.length : open + 1);
    for (const part of all("th, td", $(".padsheet"))) part.classList.toggle("now", part.cellIndex === now && open >= 0);
    $(".padnow [data-round]").textContent = now;
    const empty = all(".cell", $(".padsheet")).find(({ dataset }) => dataset.round === String(now) && dataset.points === "");
    if (empty && $("#write")) $("#write").href = empty.href;
    starts(now);
  }

  function starts(now) {
    const holders = all(`.cell[data-round="${now - 1}"]`).filter(({ dataset }) => dataset.hand?.split(" ").includes("E"));
    const known = holders.length === 1 ? Number(holders[0].dataset.player) : null;
    const told = lines.find((line) => line.starts && line.round === now)?.player;
    const asked = now === Number(board().dataset.now);
    const player = known ?? told;
    if (asked && player === undefined) return;
    const form = $(".starters");
    if (form && !asked) {
      form.action = new URL(`${now}/start`, new URL(board().dataset.address, location.href));
      form.elements.base.value = 0;
      if (told === undefined) for (const button of all("button", form)) button.setAttribute("aria-pressed", "false");
    }
    $("#starts").hidden = player === undefined;
    if (player !== undefined) $("[data-starter]").textContent = nameOf(player);
    if (!$("#d-start")) return;
    $("#d-start").hidden = known !== null;
    $("#d-start").open = player === undefined;
    const when = player !== undefined ? "known" : now === 1 ? "first" : "later";
    for (const words of all("[data-when]")) words.hidden = words.dataset.when !== when;
  }

  function tell() {
    const number = waits().length;
    const away = offline || !navigator.onLine;
    const words = sent.dataset[away ? (number ? (number === 1 ? "offlineOne" : "offlineMany") : "offline") : number === 1 ? "one" : "many"];
    const text = away || number ? fill(words, { number }) : "";
    if (sent.textContent !== text) sent.textContent = text;
    sent.hidden = !text;
    sent.classList.toggle("away", away);
    const asked = lines.filter(({ state }) => state === "newer" || state === "refused");
    unsent.hidden = !asked.length;
    if (unsent.dataset.shown === JSON.stringify(asked)) return;
    unsent.dataset.shown = JSON.stringify(asked);
    unsent.replaceChildren(...asked.map(question));
  }

  // Another line came in between, or this one is refused: both are shown, and the person chooses.
  function question(line) {
    const { dataset } = unsent;
    const said = ({ points, player }) => (line.starts ? nameOf(player) : points ?? "–");
    const values = { name: line.starts ? "" : nameOf(line.player), round: line.round, mine: said(line) };
    if (line.now) Object.assign(values, { now: said(line.now), by: line.now.by });
    const item = document.createElement("li");
    const words = document.createElement("p");
    const about = document.createElement("b");
    about.textContent = fill(line.starts ? dataset.start : dataset.cell, values);
    words.append(about, ": ", line.state === "newer" ? fill(dataset.newer, values) : `${fill(dataset.refused, values)} ${line.message}`);
    const ways = document.createElement("div");
    ways.className = "ways";
    const drop = () => {
      lines = lines.filter((each) => each.client !== line.client);
      store();
      paint();
      refresh();
    };
    const again = () => {
      const news = line.state === "newer" ? { base: line.now.number, mine: [], client: client() } : {};
      change(line.client, { ...news, state: "waits", now: undefined, message: undefined });
      paint();
      send();
    };
    const newer = line.state === "newer";
    for (const [text, act] of [[newer ? dataset.keep : dataset.drop, drop], [newer ? dataset.mine : dataset.again, again]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn";
      button.textContent = fill(text, values);
      button.addEventListener("click", act);
      ways.append(button);
    }
    item.append(words, ways);
    return item;
  }

  // --- the sheet in which a cell is written ---
  const sheet = $("#entry");
  const form = sheet && $("form", sheet);
  let cell = null;

  if (form) {
    $(".running", form).hidden = false;
    const minus = $(".minus-one", form);
    for (const count of all(".count", form)) {
      // A button in the place of the label: a tap takes one card more.
      const label = $("label", count);
      const input = $("input", count);
      const button = document.createElement("button");
      button.type = "button";
      const times = document.createElement("span");
      times.className = "sr times";
      button.append(...label.childNodes, times);
      label.replaceWith(button);
      Object.assign(input, { readOnly: true, tabIndex: -1, placeholder: "", ariaHidden: "true" });
      button.addEventListener("click", () => {
        const number = Math.max(0, Number(input.value) + (minus.getAttribute("aria-pressed") === "true" ? -1 : 1));
        input.value = number || "";
        minus.setAttribute("aria-pressed", "false");
        add();
      });
    }
    minus.addEventListener("click", () => {
      minus.setAttribute("aria-pressed", minus.getAttribute("aria-pressed") === "true" ? "false" : "true");
    });
    $("[data-closes]", form).addEventListener("click", () => sheet.close());
    sheet.addEventListener("close", () => { if (cell) cellOf(cell.dataset.round, cell.dataset.player)?.focus({ preventScroll: true }); });
    // A tap beside the sheet closes it.
    sheet.addEventListener("click", ({ target }) => { if (target === sheet) sheet.close(); });
    form.addEventListener("change", ({ target }) => { if (target.name === "how") focusField(); });
    form.addEventListener("submit", submit);
  }

  const sum = () => all(".count", form).reduce((total, count) => total + Number($("input", count).value) * Number(count.dataset.points), 0);
  function add() {
    $(".running output b", form).textContent = sum();
    for (const count of all(".count", form)) {
      const number = Number($("input", count).value);
      count.classList.toggle("some", number > 0);
      $(".times", count).textContent = ` × ${number}`;
    }
  }

  function open(of) {
    cell = of;
    const { round, player, points, base, hand = "", laid = "" } = cell.dataset;
    const line = lines.find((each) => same(each, { round: Number(round), player: Number(player), starts: false }));
    const counted = line ? line.how === "count" : cell.dataset.counted !== undefined;
    const cards = { h: line ? cardsOf(line, "h") : hand, l: line ? cardsOf(line, "l") : laid };
    form.action = cell.href;
    form.elements.base.value = base;
    const title = $("#h-entry");
    title.textContent = fill(title.dataset.title, { name: nameOf(player), round });
    form.elements.points[0].value = points;
    for (const input of all(".count input", form)) {
      const number = cards[input.name[0]].split(" ").filter((card) => card === input.name.slice(2)).length;
      input.value = number || "";
    }
    // As the cell was written; an empty one as the last.
    if (points !== "") $(`[name=how][value=${counted ? "count" : "type"}]`, form).checked = true;
    const first = $("[name=where][value=h]", form);
    if (first) first.checked = true;
    $(".minus-one", form).setAttribute("aria-pressed", "false");
    $(".empties", form).hidden = points === "";
    $(".refusal", form).hidden = true;
    add();
    if (!sheet.open) sheet.showModal();
    focusField();
  }

  function focusField() {
    const typed = form.elements.how.value !== "count";
    const field = typed ? form.elements.points[0] : $(".count button", form);
    field.focus();
    if (typed) field.select();
  }

  function submit(event) {
    event.preventDefault();
    const { submitter } = event;
    const { round, player } = cell.dataset;
    const line = { round: Number(round), player: Number(player), starts: false, base: Number(form.elements.base.value) };
    const typed = form.elements.how.value !== "count";
    if (submitter?.name === "how") Object.assign(line, { how: "empty", points: null });
    else if (typed) {
      const text = submitter?.name === "points" ? submitter.value : form.elements.points[0].value.trim();
      const wrong = !/^\d{1,3}$/.test(text);
      $(".refusal", form).hidden = !wrong;
      if (wrong) return focusField();
      Object.assign(line, { how: "type", points: Number(text) });
    } else {
      const counts = all(".count input", form).filter(({ value }) => Number(value)).map(({ name, value }) => [name, Number(value)]);
      Object.assign(line, { how: "count", points: sum(), counts: Object.fromEntries(counts) });
    }
    // What the cell says already is written.
    const old = cell.dataset.points === String(line.points ?? "") && cell.dataset.counted === undefined && line.how === "type";
    const goesOn = ["next", "points"].includes(submitter?.name ?? "next");
    if (!old || cell.classList.contains("unsent")) write(line);
    const next = goesOn && following(round, Number(player));
    if (next) open(next);
    else sheet.close();
  }

  // The next empty cell of the round, in the order in which they sit.
  function following(round, player) {
    const column = all(`.cell[data-round="${round}"]`);
    return [...column.slice(player + 1), ...column.slice(0, player)].find(({ dataset }) => dataset.points === "");
  }

  // --- the page's own controls ---
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.cell, #write");
    if (!link || !form || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link.id === "write" ? all("a.cell").find(({ href }) => href === link.href) : link);
  });
  document.addEventListener("submit", (event) => {
    const { target, submitter } = event;
    if (target.matches(".starters")) {
      event.preventDefault();
      const round = Number(new URL(target.action).pathname.split("/").at(-2));
      write({ round, player: Number(submitter.value), starts: true, base: Number(target.elements.base.value) });
    }
    // Logging out empties the device; what still waits would be gone.
    if (target.getAttribute("action")?.includes("log-out") && waits().length && !confirm(sent.dataset.lost)) event.preventDefault();
  });

  // --- times as the clock on the wall shows them ---
  function clocks() {
    for (const time of all("#board time")) {
      time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
    }
  }

  // --- when to look and to send ---
  const meet = () => (waits().length ? send() : refresh());
  document.body.addEventListener("live:changed", meet);
  addEventListener("online", meet);
  addEventListener("offline", () => { offline = true; paint(); });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) meet(); });

  // --- the page on the device ---
  if ("serviceWorker" in navigator) {
    navigator.serviceWorker.addEventListener("message", ({ data }) => { if (data === "kept") $("#kept").hidden = false; });
    navigator.serviceWorker.register(sent.dataset.worker).then(() => navigator.serviceWorker.ready).then(({ active }) => {
      const parts = [
        ...all("link[rel=stylesheet], link[rel=icon]").map(({ href }) => href),
        ...all("script[src]").map(({ src }) => src),
        ...all("use").map((use) => new URL(use.getAttribute("href"), location.href).href.replace(/#.*/, "")),
      ];
      active.postMessage([location.href, ...new Set(parts)]);
    }).catch(() => {});
  }

  clocks();
  $("#sheet").scrollLeft = $("th.now")?.offsetLeft - $("#sheet").clientWidth / 2 || 0;
  paint();
  meet();
}
