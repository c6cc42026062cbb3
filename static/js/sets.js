// The hand of Ochs & Esel with a script: a value's key takes one more of its cards, and a second tap puts them back.
// Everything works without it.
{
  const told = (input) => input.dispatchEvent(new Event("change", { bubbles: true }));

  // A radio cannot be put back by itself: the second tap on the chosen one does it.
  let was = null;
  document.addEventListener("pointerdown", ({ target }) => {
    const input = target.closest(".take")?.querySelector("input[type=radio]");
    was = input?.checked ? input : null;
  });
  document.addEventListener("click", ({ target }) => {
    if (!target.matches(".take > input[type=radio]") || target !== was) return;
    was = null;
    target.checked = false;
    told(target);
  });

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || key.length > 1) return;
    if (document.querySelector("dialog[open]") || !document.getElementById("keys-on").checked) return;
    if (target.matches("input[type=text], input:not([type]), textarea, select")) return;
    const set = document.querySelector(`#hand [data-chooses="${CSS.escape(key.toLowerCase())}"]`);
    const inputs = [...(set?.querySelectorAll("input:enabled") ?? [])];
    if (!inputs.length) return;
    event.preventDefault();
    // The next larger pick; after the largest none. Jokers are added one by one.
    const at = inputs.findLastIndex((input) => input.checked) + 1;
    const input = inputs[at] ?? inputs[0];
    if (at < inputs.length) input.checked = true;
    else for (const taken of inputs) taken.checked = false;
    input.focus({ preventScroll: true });
    told(input);
  });
}
