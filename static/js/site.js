// The look (theme, suits, motion) changes at once; its cookies are those that the form would set without this script.
document.addEventListener("change", ({ target }) => {
  const { form, name, value } = target;
  if (!form?.matches("[data-look]")) return;
  document.cookie = `${name}=${value};path=/;max-age=31536000;samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
  document.documentElement.dataset[name] = value;
  for (const twin of document.querySelectorAll(`[data-look] [name="${name}"]`)) twin.value = value;
  // The account keeps it for other browsers, even if this page is left now.
  if (form.dataset.look !== "account") return;
  const body = new URLSearchParams({ csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value, [name]: value });
  fetch(form.action, { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => {});
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
// One that a script makes for a key, or for the next step of a replay, is none.
addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details[data-pops][open]")) {
    if (event.isTrusted && !open.contains(event.target)) open.open = false;
  }
});
addEventListener("keydown", (event) => {
  // A dialog lies over them and closes first, by itself.
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  const open = document.querySelector("details[data-pops][open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
  event.preventDefault();
  event.stopImmediatePropagation();
});

// A text to take along. The button that copies it is shown where this script runs.
for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
document.addEventListener("click", (event) => {
  const copier = event.target.closest("[data-copy]");
  if (!copier) return;
  const field = document.getElementById(copier.dataset.copy);
  field.select();
  navigator.clipboard?.writeText(field.value).then(() => {
    for (const words of copier.querySelectorAll("span")) words.hidden = !words.hidden;
  });
});
