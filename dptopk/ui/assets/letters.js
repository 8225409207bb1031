// Sliders, toggles and buttons are input elements, too, and shortcuts of one letter are not heard
// while one of them has the focus.  No text goes into them, so the letter is told to the page.

const TYPELESS = new Set(["range", "checkbox", "radio", "button"]);

function pass(event) {
  const at = event.target;
  if (at?.tagName !== "INPUT" || !TYPELESS.has(at.type) || !/^[a-z]$/i.test(event.key)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopImmediatePropagation();
  const { key, code, keyCode, shiftKey } = event;
  const told = { key, code, keyCode, which: keyCode, shiftKey, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new KeyboardEvent("keydown", told));
}

document.addEventListener("keydown", pass, true);

export default function () {}
