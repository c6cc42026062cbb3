// Keeps an open page true. `live:changed` on the body says: look again. What is swapped then is the page's own business.
// Also tells a person who is elsewhere that it is their turn. Everything works without it.
{
  const script = document.currentScript;
  const { events, mark, icon, told } = script.dataset;

  // --- looking again: soon, but not more often than a person could follow ---
  let looks = 0;
  let looked = -Infinity;
  let leaving = 0;
  function look() {
    looks ||= setTimeout(() => {
      looks = 0;
      if (leaving) return;
      looked = performance.now();
      document.body.dispatchEvent(new CustomEvent("live:changed"));
    }, Math.max(0, looked + 200 - performance.now()));
  }

  // A form that was sent leads elsewhere: what a look finds now could lead there, too, without what the form's answer says.
  addEventListener("submit", ({ defaultPrevented }) => {
    if (defaultPrevented) return;
    clearTimeout(leaving);
    leaving = setTimeout(() => { leaving = 0; }, 10000); // or it came to nothing
  });

  // --- the stream ---
  const SILENCE = 40000; // the server gives a sign of life every 15 seconds; a connection can die without a word
  let source = null;
  let heard = 0;
  let tries = 0;
  let again = 0;

  const alive = () => { heard = Date.now(); };
  const silent = () => source && Math.abs(Date.now() - heard) > SILENCE;

  function listen() {
    clearTimeout(again);
    again = 0;
    source?.close();
    source = new EventSource(events);
    alive();
    source.onopen = () => {
      tries = 0;
      alive();
      look(); // what happened since the page was made was told to nobody
    };
    source.addEventListener("alive", alive);
    source.addEventListener("changed", () => {
      alive();
      look();
    });
    // A browser tries again by itself only after some faults, and without giving the server time.
    source.onerror = () => {
      source.close();
      source = null;
      again = setTimeout(listen, Math.min(30000, 500 * 2 ** tries++) * (0.5 + Math.random()));
    };
  }

  // --- who may have a stream: over HTTP/1.1 all tabs share six connections, and a page needs some, too ---
  const PLACES = [0, 1, 2];
  const others = new BroadcastChannel("live");
  let place = null;
  let free = null;
  let seeking = false;

  const hold = (number) => new Promise((answer) => {
    navigator.locks.request(`live-${number}`, { ifAvailable: true }, (lock) => {
      if (lock) place = number;
      answer(Boolean(lock));
      return lock && new Promise((release) => { free = release; });
    }).catch(() => answer(false));
  });

  function leave() {
    clearTimeout(again);
    again = 0;
    source?.close();
    source = place = null;
    free?.();
    free = null;
  }

  async function find() {
    for (const number of PLACES) if (await hold(number)) return true;
    for (const number of PLACES) {
      if (document.hidden) return false;
      others.postMessage(number); // a tab that nobody sees makes room
      await new Promise((done) => setTimeout(done, 150));
      if (await hold(number)) return true;
    }
    return false;
  }

  async function settle() {
    if (!events || source || again || seeking || !script.isConnected) return;
    // Without locks nobody can count: then only those that are seen have one.
    if (!navigator.locks) return document.hidden || listen();
    seeking = true;
    const found = await find();
    seeking = false;
    if (found) gone ? leave() : listen();
  }

  others.onmessage = ({ data }) => { if (data === place && document.hidden) leave(); };

  // --- when there is a reason to look: it was asleep, elsewhere, without a network; and now and then in any case ---
  let gone = false;
  let rounds = 0;

  function wake() {
    if (document.hidden) return navigator.locks || leave();
    look();
    if (silent() || again) {
      tries = 0;
      listen();
    }
    settle();
  }
  document.addEventListener("visibilitychange", wake);
  for (const name of ["focus", "online"]) addEventListener(name, wake);
  addEventListener("pagehide", () => {
    gone = true;
    leave();
  });
  addEventListener("pageshow", ({ persisted }) => {
    gone = false;
    leaving = 0;
    if (persisted) wake();
  });

  function round() {
    // The page of an error has taken this one's place.
    if (!script.isConnected) return leave();
    setTimeout(round, 9000 + 2000 * Math.random());
    if (gone) return;
    if (silent()) listen();
    settle();
    // Who is seen looks every time. A tab that nobody sees needs to only if nobody tells it anything.
    rounds += 1;
    if (!document.hidden || (!source && rounds % 6 === 0)) look();
  }
  settle();
  setTimeout(round, 9000 + 2000 * Math.random());

  // A page that nobody sees goes on looking, but its person is not there.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (document.hidden && detail.elt.matches("#here, #look")) detail.parameters.hidden = "1";
  });

  // --- it is one's turn: title and icon for those who are elsewhere, a sound and a notification for those who want them ---
  const isMine = () => Boolean(document.querySelector('#table[data-turn="mine"]'));
  const away = () => document.hidden || !document.hasFocus();
  const wanted = (what) => localStorage.getItem(`turn-${what}`) === "on";
  let mine = isMine();
  let notice = null;
  let audio = null;

  const plainTitle = () => document.title.startsWith(mark) ? document.title.slice(mark.length) : document.title;

  function show() {
    if (!script.isConnected) return;
    const marked = mine && away();
    const title = (marked ? mark : "") + plainTitle();
    if (document.title !== title) document.title = title;
    const link = document.querySelector("link[rel=icon]");
    link.dataset.plain ??= link.getAttribute("href");
    const href = marked ? icon : link.dataset.plain;
    if (link.getAttribute("href") !== href) link.href = href;
    if (!marked) {
      notice?.close();
      notice = null;
    }
  }

  // Browsers let a page sound only once its person has done something there.
  function sound() {
    audio ??= new AudioContext();
    const asked = Date.now();
    audio.resume().then(() => { if (Date.now() - asked < 1000) tone(); });
  }
  function tone() {
    [[660, 0], [880, 0.15]].forEach(([pitch, after]) => {
      const start = audio.currentTime + after;
      const loudness = audio.createGain();
      loudness.gain.setValueAtTime(0, start);
      loudness.gain.linearRampToValueAtTime(0.15, start + 0.02);
      loudness.gain.linearRampToValueAtTime(0, start + 0.25);
      const note = audio.createOscillator();
      note.frequency.value = pitch;
      note.connect(loudness).connect(audio.destination);
      note.start(start);
      note.stop(start + 0.3);
    });
  }
  for (const name of ["pointerdown", "keydown"]) {
    addEventListener(name, () => {
      if (!wanted("sound") || audio?.state === "running") return;
      audio ??= new AudioContext();
      audio.resume();
    });
  }

  function notify() {
    try {
      notice = new Notification(plainTitle(), { body: told, tag: location.pathname, icon });
      notice.onclick = () => {
        window.focus();
        notice?.close();
      };
    } catch {
      // Some phones know notifications, but not from a page.
    }
  }
  const mayNotify = () => "Notification" in window && Notification.permission === "granted";

  // The panel may lie in what is swapped: it comes hidden and without a tick.
  function showPanel() {
    const panel = document.getElementById("alerts");
    if (!panel) return;
    panel.hidden = false;
    document.getElementById("alert-sound").checked = wanted("sound");
    const notices = document.getElementById("alert-notice");
    notices.checked = wanted("notice") && mayNotify();
    notices.closest("label").hidden = !("Notification" in window);
  }
  document.addEventListener("change", async ({ target }) => {
    if (target.id === "alert-sound") {
      localStorage.setItem("turn-sound", target.checked ? "on" : "off");
      if (target.checked) sound();
    } else if (target.id === "alert-notice") {
      const granted = target.checked && await Notification.requestPermission() === "granted";
      localStorage.setItem("turn-notice", granted ? "on" : "off");
      // The panel may have been swapped while the browser asked.
      document.getElementById("alert-blocked").hidden = granted || !target.checked;
      document.getElementById("alert-notice").checked = granted;
    }
  });

  document.addEventListener("htmx:afterSwap", () => {
    showPanel();
    const was = mine;
    mine = isMine();
    show();
    if (!mine || was) return;
    if (wanted("sound")) sound();
    if (wanted("notice") && mayNotify() && away()) notify();
  });
  document.addEventListener("visibilitychange", show);
  for (const name of ["focus", "blur"]) addEventListener(name, show);
  showPanel();
  show();
}
