// Plays releases: each item is a chip that moves to its place.  Names are strangers' text and
// reach the page as text only.
const [PAUSE, QUICK] = [1600, 40]; // milliseconds from one release to the next
const ABREAST = 3; // dots of a column
const [ROW, DENSE, MANY] = [2, 1.3, 10]; // em, the height of a row, and where there are more
const BEFORE = 700; // milliseconds for which the true order is seen before the first release
const LONG = 18; // letters of a name that are too many for a line on a phone
const MOVE = 600; // milliseconds that a name takes to its place, as in the style sheet
const calm = matchMedia("(prefers-reduced-motion: reduce)"); // then nothing moves by itself
const KINDS = { "✓": "right", "↕": "moved", "✗": "foreign" };

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".moving");
  const find = (selector) => root.querySelector(selector);
  const [play, one, all, slider] = [".play", ".one", ".all", "input"].map(find);
  let timer = null;
  let arriving = null;

  const made = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };

  const called = (name) => made("span", name.length > LONG ? "long" : "", name);

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
      line.append(made("span", "place", row + 1), called(name));
      line.title = name;
      return line;
    }),
  );
  const chips = data.items.map((name) => {
    const chip = made("div", "chip", "");
    chip.append(made("span", "mark", ""), called(name));
    chip.title = name;
    return chip;
  });
  find(".places").replaceChildren(...chips);

  const n = data.frames.length;
  const shares = data.columns.map((_, i) => data.right.filter((column) => column === i).length / n);
  const most = Math.max(...shares, ...data.law);
  const columns = data.columns.map((word, i) => {
    const column = made("div", "column", "");
    const outline = made("div", "outline", "");
    outline.hidden = data.law[i] < 0.0005;
    outline.style.height = `${(100 * data.law[i]) / most}%`;
    column.append(outline, made("span", "", word));
    return column;
  });
  const dots = data.right.map((column) => {
    const dot = made("i", "", "");
    columns[column].append(dot);
    return dot;
  });
  find(".columns").replaceChildren(...columns);
  root.style.setProperty("--most", Math.ceil((most * n) / ABREAST));
  find(".of").textContent = data.outline;
  all.textContent = `Draw ${n}`;

  const place = (chip, row) => (chip.style.transform = `translateY(${row * high}em)`);
  const mark = (chip, sign) => {
    chip.firstChild.textContent = sign;
    Object.entries(KINDS).forEach(([one, kind]) => chip.classList.toggle(kind, one === sign));
  };
  // Names that move bear their marks once they have arrived.
  const show = (number, at_once = calm.matches || root.classList.contains("fast")) => {
    at = Math.min(Math.max(number, 0), data.frames.length - 1);
    const there = new Set();
    const arrive = () => data.frames[at].forEach(([item, sign]) => item < 0 || mark(chips[item], sign));
    data.frames[at].forEach(([item, sign], row) => {
      if (item < 0) return;
      const chip = chips[item];
      there.add(chip);
      const before = chip.style.transform;
      place(chip, row);
      if (before !== chip.style.transform || chip.firstChild.textContent !== sign) mark(chip, "");
    });
    clearTimeout(arriving);
    if (at_once) arrive();
    else arriving = setTimeout(arrive, MOVE);
    chips.forEach((chip) => {
      chip.classList.toggle("there", there.has(chip));
      if (!there.has(chip)) place(chip, data.truth.length);
    });
    dots.forEach((dot, i) => dot.classList.toggle("there", i <= at));
    const whole = at + 1 === n;
    one.firstChild.data = whole ? "Start over " : "Draw 1 ";
    one.setAttribute("aria-label", one.firstChild.data.trim());
    find(".columns").classList.toggle("outlined", whole);
    const so_far = data.right.slice(0, at + 1);
    const times = data.names.map((name, i) => [name, so_far.filter((one) => one === i).length]);
    const counted = times.filter(([, count]) => count).map(([name, count]) => `${name}: ${count}`);
    const said = `Places right, and how often: ${counted.join("; ")}.`;
    find(".tally").setAttribute("aria-label", whole ? `${said} ${data.said}` : said);
    slider.value = at + 1;
    slider.setAttribute("aria-valuetext", data.words[at]);
    find(".words").textContent = data.words[at];
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    root.classList.remove("fast");
    find(".words").setAttribute("aria-live", "polite");
  };

  const start = (pause) => {
    find(".words").setAttribute("aria-live", "off"); // not a hundred announcements in a row
    root.classList.toggle("fast", pause === QUICK);
    play.textContent = "Stop";
    show(at + 1 < n ? at + 1 : 0);
    timer = setInterval(() => {
      show(at + 1);
      if (at + 1 === n) stop();
    }, pause);
  };

  const step = (number) => {
    stop();
    show(number);
  };
  const heed = () => {
    if (calm.matches) stop();
    play.hidden = calm.matches;
  };
  play.onclick = () => (timer === null ? start(PAUSE) : stop());
  one.onclick = () => step(at + 1 < n ? at + 1 : 0);
  all.onclick = () => {
    stop();
    if (calm.matches) show(n - 1);
    else start(QUICK);
  };
  slider.oninput = () => step(Number(slider.value) - 1);
  // as the button that draws again on other pictures, which a slide has beside this one
  const key = (event) => {
    const typed = event.composedPath()[0].closest("input:not([type=range]), textarea");
    if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey || typed) return;
    if (!document.querySelector(".st-key-draw")) one.click();
  };
  document.addEventListener("keydown", key);
  stop();
  calm.onchange = heed;
  heed();
  if (!same && !calm.matches) {
    chips.forEach((chip, item) => {
      const row = data.truth.indexOf(data.items[item]);
      place(chip, row < 0 ? data.truth.length : row);
      chip.classList.toggle("there", row >= 0);
    });
    timer = setTimeout(() => (stop(), show(at)), BEFORE);
  } else {
    show(at, true);
  }
  return () => {
    stop();
    clearTimeout(arriving);
    document.removeEventListener("keydown", key);
  };
}
