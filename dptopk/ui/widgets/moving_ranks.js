// Plays releases: each item is a chip that moves to its place.  Names are strangers' text and
// reach the page as text only.
const PAUSE = 1600; // milliseconds from one release to the next
const [ROW, DENSE, MANY] = [1.75, 1.3, 10]; // em, the height of a row, and where there are more
const calm = matchMedia("(prefers-reduced-motion: reduce)"); // then nothing moves by itself
const KINDS = { "✓": "right", "↕": "moved", "✗": "foreign" };

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".moving");
  const find = (selector) => root.querySelector(selector);
  const [play, back, next, slider] = [".play", ".back", ".next", "input"].map(find);
  let timer = null;

  const made = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };

  // Another run of the script with the same releases leaves the one that is looked at.
  const same = root.dataset.shown === data.identity;
  root.dataset.shown = data.identity;
  let at = same ? Number(slider.value) - 1 : 0;

  root.setAttribute("aria-label", data.title);
  root.style.setProperty("--tint", data.color);
  const high = data.truth.length > MANY ? DENSE : ROW;
  root.style.setProperty("--rows", data.truth.length);
  root.style.setProperty("--row", high);
  slider.max = data.frames.length;
  find(".truth").replaceChildren(
    ...data.truth.map((name, row) => {
      const line = made("li", "", "");
      line.append(made("span", "place", row + 1), made("span", "", name));
      line.title = name;
      return line;
    }),
  );
  const chips = data.items.map((name) => {
    const chip = made("div", "chip", "");
    chip.append(made("span", "mark", ""), made("span", "", name));
    chip.title = name;
    return chip;
  });
  find(".places").replaceChildren(...chips);

  const show = (number) => {
    at = Math.min(Math.max(number, 0), data.frames.length - 1);
    const there = new Set();
    data.frames[at].forEach(([item, mark], row) => {
      if (item < 0) return;
      const chip = chips[item];
      there.add(chip);
      chip.firstChild.textContent = mark;
      Object.entries(KINDS).forEach(([sign, kind]) => chip.classList.toggle(kind, mark === sign));
      chip.style.transform = `translateY(${row * high}em)`;
    });
    chips.forEach((chip) => {
      chip.classList.toggle("there", there.has(chip));
      if (!there.has(chip)) chip.style.transform = `translateY(${data.truth.length * high}em)`;
    });
    slider.value = at + 1;
    slider.setAttribute("aria-valuetext", data.words[at]);
    find(".words").textContent = data.words[at];
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    find(".words").setAttribute("aria-live", "polite");
  };

  const start = () => {
    find(".words").setAttribute("aria-live", "off"); // not twenty announcements in a row
    play.textContent = "Pause";
    show(at + 1 < data.frames.length ? at + 1 : 0);
    timer = setInterval(() => {
      show(at + 1);
      if (at + 1 === data.frames.length) stop();
    }, PAUSE);
  };

  const step = (number) => {
    stop();
    show(number);
  };
  const heed = () => {
    if (calm.matches) stop();
    play.hidden = calm.matches;
    find(".still").hidden = !calm.matches;
  };
  play.onclick = () => (timer === null ? start() : stop());
  back.onclick = () => step(at - 1);
  next.onclick = () => step(at + 1);
  slider.oninput = () => step(Number(slider.value) - 1);
  stop();
  calm.onchange = heed;
  heed();
  show(at);
  return stop;
}
