// Bars that follow a slider.  Names are strangers' text and reach the page as text only.
export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".law");
  const find = (selector) => root.querySelector(selector);
  const slider = find("input");
  const identity = JSON.stringify(data);
  if (root.dataset.shown === identity) return; // another run leaves what is looked at
  root.dataset.shown = identity;
  const title = `${data.title} Move\u00a0${data.symbol}:`;
  root.setAttribute("aria-label", title);
  root.style.setProperty("--tint", data.color);
  find(".title").textContent = title;
  const longest = (texts) => Math.max(...texts.map((text) => text.length));
  root.style.setProperty("--amount", `${longest(data.words.flat())}ch`);
  const settings = data.values.map((value) => `${data.symbol} = ${value}`);
  root.style.setProperty("--setting", `${longest(settings)}ch`);
  slider.max = settings.length - 1;

  const made = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const rows = data.outputs.map((name, i) => {
    const row = document.createElement("li");
    const track = made("div", "track", "");
    const bar = made("div", "bar", "");
    if (data.colors[i]) bar.style.background = data.colors[i];
    bar.classList.toggle("gray", data.colors[i] === "");
    track.append(bar);
    row.append(made("span", "name", name), track, made("span", "amount", ""));
    row.title = name;
    return row;
  });
  find(".rows").replaceChildren(...rows);

  const show = (at) => {
    const largest = Math.max(...data.probabilities[at]);
    rows.forEach((row, i) => {
      row.querySelector(".bar").style.width = `${100 * data.probabilities[at][i]}%`;
      row.querySelector(".amount").textContent = data.words[at][i];
    });
    find(".setting").textContent = settings[at];
    const said = data.outputs.map((name, i) => `${name}, ${data.words[at][i]}`);
    const likeliest = `likeliest: ${said[data.probabilities[at].indexOf(largest)]}`;
    const few = said.length <= 4; // so few are compared
    slider.setAttribute("aria-valuetext", [settings[at], ...(few ? said : [likeliest])].join("; "));
  };
  slider.oninput = () => show(Number(slider.value));
  slider.value = data.at;
  show(data.at);
}
