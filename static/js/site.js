// The look (theme, suits) changes at once; its cookies are those that the form would set without this script.
document.addEventListener("change", ({ target }) => {
  if (!target.form?.matches("[data-look]")) return;
  document.cookie = `${target.name}=${target.value};path=/;max-age=31536000;samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
  document.documentElement.dataset[target.name] = target.value;
});

// A form that starts something is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
});
// A page that comes back from the browser's cache is fresh again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// An open menu or panel closes with Escape or a click beside it.
addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details[data-pops][open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = document.querySelector("details[data-pops][open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
  event.preventDefault();
  event.stopImmediatePropagation();
});
