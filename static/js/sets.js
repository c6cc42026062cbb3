// The hand of Ochs & Esel with a script: a value's key pressed so many times takes so many of its cards, and a second tap puts them back.
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

  // How many cards of its set a control chooses: a radio is one pick, of jokers each has a box.
  const number = (input, inputs) =>
    input?.type === "radio" ? Number(input.value.split("x")[1] ?? 1) : inputs.indexOf(input) + 1;
  let counted = { input: null, times: 0 };

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || key.length > 1) return;
    if (document.querySelector("dialog[open]") || !document.getElementById("keys-on").checked) return;
    if (target.matches("input[type=text], input:not([type]), textarea, select")) return;
    const set = document.querySelector(`#hand [data-chooses="${CSS.escape(key.toLowerCase())}"]`);
    const inputs = [...(set?.querySelectorAll("input:enabled") ?? [])];
    if (!inputs.length) return;
    event.preventDefault();
    // So many cards are meant as the key was pressed times; where that number will not do, the next that will.
    // One press more than there are cards puts them back.
    const chosen = inputs.findLast((input) => input.checked);
    const times = (chosen && chosen === counted.input ? counted.times : number(chosen, inputs)) + 1;
    const back = times > set.querySelectorAll(".slot").length;
    const input = inputs.find((input) => number(input, inputs) >= times) ?? inputs.at(-1);
    if (back) for (const taken of inputs) taken.checked = false;
    else input.checked = true;
    counted = { input, times };
    input.focus({ preventScroll: true });
    told(input);
  });
}
