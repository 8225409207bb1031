// Plays draws of one item, and counts them.  All draws come from the server; names are text only.
const QUICK = 40; // milliseconds from one draw to the next, of many
const calm = matchMedia("(prefers-reduced-motion: reduce)"); // then a draw is there at once

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".draws");
  if (root.dataset.shown === data.identity) return; // another run leaves what is looked at
  const same = root.dataset.draws === data.of; // only the flag moved
  const kept = same ? Number(root.dataset.at) : -1;
  Object.assign(root.dataset, { shown: data.identity, draws: data.of });
  clearTimeout(root.timer);
  const find = (selector) => root.querySelector(selector);
  const n = data.draws.length;
  const made = (tag, className, text = "") => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const head = made("div", "row head");
  head.append(...data.heads.map((word) => made("span", "", word)));
  const rows = data.items.map((name, item) => {
    const row = made("div", "row");
    const [lane, run, pile] = [made("div", "lane"), made("div", "run"), made("div", "pile")];
    run.append(made("span", "runner"));
    lane.append(run);
    pile.append(made("div", "bar"), made("span", "number"));
    if (data.exact.length) {
      const line = made("div", "exact");
      line.style.setProperty("--at", `${100 * data.exact[item]}%`);
      pile.append(line);
    }
    if (item === 0 && data.flag !== null) {
      const flag = made("div", data.flag > 0.5 ? "flag left" : "flag");
      flag.style.setProperty("--at", `${100 * data.flag}%`);
      flag.append(made("span", "", data.flag_words));
      pile.append(flag);
    }
    row.append(made("span", "name", name), lane, pile);
    return row;
  });
  find(".rows").replaceChildren(head, ...rows);
  root.setAttribute("aria-label", data.title);
  root.style.setProperty("--tint", data.color);
  root.style.setProperty("--pill", data.pill);
  root.style.setProperty("--pause", `${data.pause}ms`);
  find(".one").textContent = data.button;
  find(".all").textContent = data.many ? `${n} at once` : `${n} at once, after a prediction`;
  find(".all").disabled = !data.many;

  // Draw ``at`` after a number of its frames; the draws before it are counted.
  const show = (at, frame, quick) => {
    root.dataset.at = at;
    const draw = data.draws[at];
    const whole = draw && frame === draw.frames.length - 1;
    root.classList.toggle("still", quick || frame < 0);
    const counted = data.draws.slice(0, whole ? at + 1 : Math.max(at, 0));
    rows.forEach((row, item) => {
      const [far, face] = frame < 0 ? [0, data.faces[item]] : draw.frames[frame][item];
      row.querySelector(".run").style.setProperty("--far", far);
      row.querySelector(".runner").textContent = face;
      row.classList.toggle("won", Boolean(whole) && draw.winner === item);
      const times = counted.filter(({ winner }) => winner === item).length;
      row.querySelector(".bar").style.setProperty("--share", times / n);
      row.querySelector(".number").textContent = counted.length ? times : "";
    });
    find(".words").textContent = whole ? draw.words : data.ask;
    const times = data.names.map((name, item) =>
      `${name}: ${counted.filter(({ winner }) => winner === item).length}`);
    const drawn = counted.length ? `Of ${counted.length}: ${times.join("; ")}. ` : "";
    find(".sum").textContent = `${drawn}${data.known}`;
  };
  const play = (at, frame, quick) => {
    const { frames } = data.draws[at];
    const last = quick || calm.matches ? frames.length - 1 : frame;
    if (last === 0 && !quick && !calm.matches) show(at, -1, true), root.offsetWidth; // from the start
    show(at, last, quick);
    if (last + 1 < frames.length) root.timer = setTimeout(() => play(at, last + 1, false), data.pause);
    else if (quick && at + 1 < n) root.timer = setTimeout(() => play(at + 1, 0, true), QUICK);
    else root.many = false, find(".words").setAttribute("aria-live", "polite");
  };
  const begin = (quick) => {
    clearTimeout(root.timer);
    find(".words").setAttribute("aria-live", "off"); // one announcement, at the end
    root.many = quick && !calm.matches;
    const at = (Number(root.dataset.at) + 1) % n;
    if (quick && calm.matches) show(n - 1, data.draws[n - 1].frames.length - 1, true);
    else play(at, 0, quick);
  };
  find(".one").onclick = () => begin(false);
  find(".all").onclick = () => begin(true);
  show(kept, kept < 0 ? -1 : data.draws[kept].frames.length - 1, true);
  root.many = same && root.many;
  if (root.many) play(kept + 1, 0, true); // a run of the page does not end it
}
