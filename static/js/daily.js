// Counts down to the next daily deal, by the time that passes here: this machine's clock may be wrong.
// A timer is silent for screen readers unless they ask.
for (const timer of document.querySelectorAll("[data-seconds]")) {
  const end = Date.now() + timer.dataset.seconds * 1000;
  const two = (number) => String(number).padStart(2, "0");
  const tick = () => {
    const left = Math.max(0, Math.round((end - Date.now()) / 1000));
    timer.textContent = `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    if (left) return;
    clearInterval(clock);
    timer.parentElement.querySelector("[data-then]").hidden = false;
  };
  const clock = setInterval(tick, 1000);
  tick();
}
