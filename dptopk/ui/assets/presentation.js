// What a presentation needs of the browser: its keys, and how wide the screen is.

// Sliders, toggles and buttons are input elements, too, and shortcuts of one letter are not heard
// while one of them has the focus.  No text goes into them, so the letter is told to the page.  A
// predicted number takes no letter but e; it is taken over first.

const TYPELESS = new Set(["range", "checkbox", "radio", "button"]);
const CLICKER = { PageDown: "ArrowRight", PageUp: "ArrowLeft" }; // what a presenter's clicker sends
const phone = matchMedia("(max-width: 640px)"); // as in stage.css
const presents = () => document.querySelector(".st-key-stage_keys, .st-key-deck_keys") !== null;

function pass(event) {
  const at = event.target;
  const turned = event.key in CLICKER && presents() && CLICKER[event.key];
  const predicted = at?.type === "number" && at.closest(".st-key-prediction") && event.key !== "e";
  const typeless = at?.tagName === "INPUT" && (TYPELESS.has(at.type) || predicted);
  const letter = typeless && /^[a-z]$/i.test(event.key);
  if (!turned && !letter) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopImmediatePropagation();
  if (predicted) at.blur();
  if (turned || predicted) event.preventDefault(); // the page stays where it is
  const { shiftKey } = event;
  const { key, code, keyCode } = turned
    ? { key: turned, code: turned, keyCode: turned === "ArrowRight" ? 39 : 37 }
    : event;
  const told = { key, code, keyCode, which: keyCode, shiftKey, bubbles: true, cancelable: true };
  // a key that is never released would count as held down with the next one
  for (const type of ["keydown", "keyup"]) document.body.dispatchEvent(new KeyboardEvent(type, told));
}

document.addEventListener("keydown", pass, true);

// The next lesson begins at its top, however far down the page its button was pressed.
document.addEventListener("click", (event) => {
  if (!event.target?.closest?.("[class*='st-key-buttons_lessons'] button")) return;
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}, true); // some clicks are stopped on their way up

// The styles of the slide that came with the page (see front_end.py) are of that slide alone; the
// app sends its own, as soon as it can.
const leave = () => document.getElementById("first-slide")?.remove();
for (const done of ["pointerdown", "keydown", "popstate"]) addEventListener(done, leave, true);

export default function ({ data, setStateValue }) {
  if (!data.presented) leave(); // what was asked for is no slide
  if (data.presented && window.dptopkPresented === false) { // the timer begins with it
    const begun = Object.keys(sessionStorage).filter((key) => key.startsWith("dptopk-began"));
    for (const key of begun) sessionStorage.removeItem(key);
  }
  window.dptopkPresented = data.presented;
  let { narrow, scale } = data;
  const tell = () => {
    if (phone.matches !== narrow) {
      narrow = phone.matches;
      setStateValue("narrow", narrow);
    }
    // of 1280 × 720, in quarters; pages look the same on every screen
    const grown = Math.floor(4 * Math.min(innerWidth / 1280, innerHeight / 720)) / 4;
    const now = Math.max(1, Math.min(grown, 4));
    if (data.presented && now !== scale) {
      scale = now;
      setStateValue("scale", scale);
    }
  };
  phone.onchange = tell;
  let waiting;
  onresize = () => {
    clearTimeout(waiting);
    waiting = setTimeout(tell, 300);
  };
  tell();
}
