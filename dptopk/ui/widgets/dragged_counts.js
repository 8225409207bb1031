// Bars of counts that are dragged.  Each is a range input, so that keys and screen readers work as
// everywhere; what is seen is drawn behind it.  Names reach the page as text only.
const PAUSE = 120; // milliseconds between two reports while a bar is dragged

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".counts");
  if (root.held || root.dataset.shown === JSON.stringify(data.counts)) return; // it is the newer
  const counts = [...data.counts];
  let waiting = null;

  const report = () => {
    clearTimeout(waiting);
    waiting = null;
    const now = JSON.stringify(counts);
    if (root.dataset.shown === now) return; // a second run of the page would undo the first
    root.dataset.shown = now;
    setStateValue("counts", [...counts]);
  };
  const bars = data.items.map((item, place) => {
    const bar = document.createElement("label");
    const [value, track, name] = ["output", "span", "span"].map((tag) => document.createElement(tag));
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: 0, max: data.most, step: data.step });
    name.textContent = item;
    track.className = "track";
    track.append(value, input);
    bar.append(track, name);
    input.oninput = () => {
      counts[place] = Number(input.value);
      draw();
      waiting ??= setTimeout(report, PAUSE);
    };
    input.onpointerdown = () => { root.held = true; };
    input.onchange = () => {
      root.held = false;
      report();
    };
    input.onpointerup = input.onpointercancel = () => { root.held = false; };
    return bar;
  });
  const draw = () => {
    const last = [...counts].sort((a, b) => b - a)[Math.min(data.k, counts.length) - 1];
    bars.forEach((bar, place) => {
      const count = counts[place];
      const input = bar.querySelector("input");
      bar.style.setProperty("--length", `${(100 * count) / data.most}%`);
      bar.classList.toggle("top", count >= last);
      bar.querySelector("output").textContent = count.toLocaleString("en");
      input.setAttribute("aria-label", `Count of ${data.items[place]}`);
      input.value = count;
    });
  };
  root.dataset.shown = JSON.stringify(counts);
  root.replaceChildren(...bars);
  draw();
}
