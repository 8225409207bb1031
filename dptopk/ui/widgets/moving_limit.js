// Moves a limit over bars of counts.  All draws come from the server; names are strangers' text and
// reach the page as text only.
const PAUSE = 900; // milliseconds from one place to the next
const calm = matchMedia("(prefers-reduced-motion: reduce)"); // then a draw is there at once

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".limit");
  if (root.dataset.shown === data.identity) return; // another run leaves what is looked at
  root.dataset.shown = data.identity;
  clearInterval(root.timer);
  const find = (selector) => root.querySelector(selector);
  const [button, slider, chooser] = [".draw", ".at", ".column"].map(find);
  const rows = find(".items");
  const n = data.columns.length;
  const most = Math.max(...data.counts, ...data.draws.flatMap((draw) => draw.noisy), 1);

  const made = (tag, className, text = "") => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const [heads, ...lines] = [null, ...data.items].map((name, item) => {
    const row = made("div", "row");
    const track = made("div", "track");
    if (name !== null) {
      const bar = made("div", "bar");
      bar.style.setProperty("--length", `${(100 * data.counts[item - 1]) / most}%`);
      track.append(bar, made("div", "noisy"), made("div", "line"));
      row.title = name;
    }
    const cells = data.columns.map((word) => made("span", "cell", name === null ? word : ""));
    if (name === null) cells.forEach((cell) => cell.classList.add("head"));
    row.append(made("span", "name", name ?? data.unit), track, ...cells);
    return row;
  });
  rows.style.setProperty("--columns", n);
  rows.replaceChildren(heads, ...lines);
  const top = Math.max(...data.probabilities);
  const bins = data.probabilities.map((p) => {
    const bin = made("div", "");
    bin.style.setProperty("--share", `${(100 * p) / top}%`);
    return bin;
  });
  find(".bins").replaceChildren(...bins);
  find(".of").textContent = data.law;
  find(".axis").firstChild.textContent = data.ends[0];
  find(".axis").lastChild.textContent = data.ends[1];
  const slots = Array.from({ length: data.k }, () => made("li", ""));
  find(".placed").replaceChildren(...slots);
  root.setAttribute("aria-label", data.title);
  root.style.setProperty("--tint", data.color);
  const longest = (words) => `${Math.max(...words.map((word) => word.length))}ch`;
  find(".setting").style.setProperty("--wide", longest(data.settings));
  find(".place").style.setProperty("--wide", longest(data.lines.flat()));
  button.textContent = data.button;
  slider.max = data.limits.length - 1;
  chooser.max = n - 1;
  chooser.parentElement.hidden = n === 1;

  // What is shown: the limit, the column whose line is drawn, and how much of which draw.
  const state = { at: data.at, column: 0, draw: -1, filled: 0 };
  const level = () => {
    const limit = data.limits[state.at];
    return data.levels.length ? data.levels[state.column] - limit : limit;
  };
  const show = (changes) => {
    Object.assign(state, changes);
    const { at, column, filled } = state;
    const draw = data.draws[state.draw];
    const values = draw?.noisy.length ? draw.noisy : data.counts;
    const limit = data.limits[at];
    const placed = draw ? draw.placed.slice(0, filled) : [];
    lines.forEach((row, item) => {
      const [, track, ...cells] = row.children;
      cells.forEach((cell, place) => {
        const least = data.levels.length ? data.levels[place] - limit : limit;
        const number = placed.findIndex(([of, where]) => of === item && where === place);
        const before = placed.some(([of, where]) => of === item && where < place);
        cell.classList.toggle("lit", values[item] >= least);
        cell.classList.toggle("taken", number >= 0);
        cell.classList.toggle("used", before && !data.many[item]);
        cell.textContent = number < 0 ? "" : number + 1;
      });
      track.classList.toggle("lit", values[item] >= level());
      const shown = draw?.noisy.length > 0;
      track.children[1].hidden = !shown;
      if (shown) track.style.setProperty("--noisy", `${(100 * values[item]) / most}%`);
    });
    heads.querySelectorAll(".cell").forEach((cell, place) => {
      cell.classList.toggle("here", n > 1 && place === column);
    });
    rows.style.setProperty("--at", `${(100 * Math.max(level(), 0)) / most}%`);
    bins.forEach((bin, i) => bin.classList.toggle("here", i === data.bins[at]));
    slots.forEach((slot, i) => slot.replaceChildren(made("span", "", placed[i] ? draw.names[i] : "–")));
    slider.value = at;
    slider.setAttribute("aria-valuetext", data.words[at]);
    find(".setting").textContent = data.settings[at];
    chooser.value = column;
    find(".place").textContent = data.lines[at][column];
    chooser.setAttribute("aria-valuetext", data.lines[at][column]);
    find(".words").textContent =
      draw && filled === draw.placed.length ? `${draw.words} ${data.words[at]}` : data.words[at];
  };
  const stop = () => {
    clearInterval(root.timer);
    find(".words").setAttribute("aria-live", "polite");
  };
  const set = (at, dragged) => {
    stop();
    rows.classList.toggle("dragged", dragged);
    const kept = data.draws[state.draw]?.noisy.length > 0; // the noise stays, the line moves over it
    show({ at, filled: 0, draw: kept ? state.draw : -1 });
  };
  slider.oninput = () => set(Number(slider.value), false);
  chooser.oninput = () => show({ column: Number(chooser.value) });
  button.onclick = () => {
    stop();
    rows.classList.remove("dragged");
    drawn = (drawn + 1) % data.draws.length;
    const { at, placed } = data.draws[drawn];
    const column = (filled) => Math.max(placed[Math.max(filled, 1) - 1]?.[1] ?? 0, 0);
    if (calm.matches) {
      show({ at, draw: drawn, filled: placed.length, column: column(placed.length) });
      return;
    }
    find(".words").setAttribute("aria-live", "off"); // one announcement, at the end
    show({ at, draw: drawn, filled: 0, column: column(0) });
    root.timer = setInterval(() => {
      const filled = Math.min(state.filled + 1, placed.length);
      if (filled === placed.length) stop();
      show({ filled, column: column(filled) });
    }, PAUSE);
  };
  let drawn = -1;
  const drag = (event) => {
    const box = lines[0].children[1].getBoundingClientRect();
    const value = (most * (event.clientX - box.left)) / box.width;
    const wanted = data.levels.length ? data.levels[state.column] - value : value;
    const far = data.limits.map((limit) => Math.abs(limit - wanted));
    set(far.indexOf(Math.min(...far)), true);
  };
  rows.onpointerdown = (event) => {
    const box = lines[0].children[1].getBoundingClientRect();
    if (event.clientX < box.left || event.clientX > box.right) return;
    rows.setPointerCapture(event.pointerId);
    drag(event);
  };
  rows.onpointermove = (event) => {
    if (rows.hasPointerCapture(event.pointerId)) drag(event);
  };
  show({});
}
