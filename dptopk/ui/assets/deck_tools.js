// Tools of a presented deck that need no server: a timer, a blank screen, and the notes of the
// slide in a second window, whose keys work as those of the first.

const deck = (window.dptopkDeck ??= { notes: null, shown: null });

// Kept with the tab: a page that is loaded anew goes on with its time.
const begun = () => `dptopk-began: ${deck.shown.deck}`;

function clock() {
  if (!sessionStorage.getItem(begun())) sessionStorage.setItem(begun(), Date.now());
  const seconds = Math.floor((Date.now() - sessionStorage.getItem(begun())) / 1000);
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
}

function timed() {
  const { minutes, until } = deck.shown;
  return minutes ? `${clock()} of ${minutes} min · leave this slide by ${until}` : clock();
}

function timedBriefly() {
  return matchMedia("(max-width: 640px)").matches ? clock() : timed();
}

function blank() {
  const there = document.querySelector(".deck-blank");
  if (there) return there.remove();
  const cover = document.createElement("button");
  cover.type = "button";
  cover.className = "deck-blank";
  cover.setAttribute("aria-label", "Show the slide again");
  cover.onclick = () => cover.remove();
  document.body.append(cover);
  cover.focus();
}

// Notes of the page, typeset by it and hidden there.
const ofPage = () => document.querySelector(".st-key-slide_notes [data-testid=stMarkdownContainer]");

function writeNotes() {
  const to = deck.notes;
  if (!to || to.closed) return;
  const { title, place, notes, next } = deck.shown;
  const page = to.document;
  page.title = `Notes: ${place}`;
  page.documentElement.lang = "en";
  page.documentElement.style.colorScheme = "light dark";
  page.body.style.cssText = "font: 1.25rem/1.4 sans-serif; margin: 1.5rem; max-width: 45rem";
  const line = (tag, text) => {
    const element = page.createElement(tag);
    element.textContent = text;
    element.style.whiteSpace = "pre-wrap";
    return element;
  };
  const time = line("p", timed());
  time.id = "time";
  page.body.replaceChildren(
    time, line("p", `${place}. ${next ? `Next: ${next}` : "The last slide."}`),
    line("h1", title), line("p", notes || (ofPage() ? "" : "No notes.")),
  );
  deck.written = ofPage()?.innerHTML;
  if (ofPage()) page.body.append(page.importNode(ofPage(), true));
  if (page.querySelector("link")) return;
  for (const { href } of document.querySelectorAll("link[rel=stylesheet]")) { // of formulas
    const sheet = page.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = href;
    page.head.append(sheet);
  }
}

function openNotes() {
  deck.notes = window.open("", "dptopk-notes", "popup,width=720,height=560");
  if (!deck.notes) return;
  deck.notes.onkeydown = (event) => {
    const { key, code, keyCode, shiftKey } = event;
    const told = { key, code, keyCode, which: keyCode, shiftKey, bubbles: true, cancelable: true };
    // a key that is never released would count as held down with the next one
    const to = document.querySelector("[role=dialog]") ?? document.body; // whose Esc closes it alone
    for (const type of ["keydown", "keyup"]) to.dispatchEvent(new KeyboardEvent(type, told));
  };
  writeNotes();
}

const ACTS = { b: blank, n: openNotes };

function heard(event) {
  const writes = event.target?.matches?.("input:not([type=range], [type=checkbox]), textarea");
  const act = !writes && !event.ctrlKey && !event.metaKey && !event.altKey && ACTS[event.key];
  if (!act || !document.querySelector(".deck-tools")) return;
  event.preventDefault();
  act();
}

// Arrows would move on within a choice that was clicked, and not turn the slide.
function leaveChoice(event) {
  const choice = event.detail && event.target?.closest?.("[role=radiogroup], [data-testid=stButtonGroup]");
  if (!choice || !document.querySelector(".deck-tools")) return;
  setTimeout(() => choice.contains(document.activeElement) && document.activeElement.blur());
}

if (!window.dptopkDeckKeys) {
  window.dptopkDeckKeys = true;
  document.addEventListener("keydown", heard);
  document.addEventListener("click", leaveChoice, true);  // some stop it on its way up
}

export default function ({ data, parentElement }) {
  parentElement.leave?.();
  if (deck.shown?.place !== data.place) {
    document.querySelector(".deck-blank")?.remove();
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    if (deck.notes && !deck.notes.closed) deck.notes.scrollTo(0, 0);
  }
  deck.shown = data;
  const row = document.createElement("div");
  row.className = "deck-tools";
  const button = (text, name, shortcut, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    if (name) made.setAttribute("aria-label", name);
    if (shortcut) {
      const letter = document.createElement("kbd");
      letter.textContent = shortcut;
      made.append(letter);
    }
    made.onclick = act;
    row.append(made);
    return made;
  };
  const time = button(timedBriefly(), "", "", () => {
    sessionStorage.removeItem(begun());
    tick();
  });
  time.title = "Restart the timer";
  button("Blank", "", "B", blank);
  button("Notes", "", "N", openNotes);
  const tick = () => {
    time.textContent = timedBriefly();
    const far = deck.notes && !deck.notes.closed && deck.notes.document.getElementById("time");
    if (far) far.textContent = timed();
    if (far && ofPage()?.innerHTML !== deck.written) writeNotes(); // they came after the slide
  };
  const ticking = setInterval(tick, 1000);
  parentElement.append(row);
  writeNotes();
  parentElement.leave = () => {
    clearInterval(ticking);
    row.remove();
  };
  return parentElement.leave;
}
