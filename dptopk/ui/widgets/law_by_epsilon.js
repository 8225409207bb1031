// Bars that follow a slider.  Names are strangers' text and reach the page as text only.
export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".law");
  const find = (selector) => root.querySelector(selector);
  const slider = find("input");
  const identity = JSON.stringify(data);
  if (root.dataset.shown === identity) return; // another run leaves what is looked at
  root.dataset.shown = identity;
  root.setAttribute("aria-label", data.title);
  root.style.setProperty("--tint", data.color);
  find(".title").textContent = data.title;
  const longest = Math.max(...data.outputs.map((name) => name.length));
  root.style.setProperty("--name", `${Math.min(longest + 1, 21)}ch`);
  slider.max = data.epsilons.length - 1;

  const made = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const rows = data.outputs.map((name, i) => {
    const row = document.createElement("li");
    const track = document.createElement("div");
    const bar = made("div", "bar", "");
    if (data.colors.length) bar.style.background = data.colors[i];
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
    const epsilon = `ε = ${data.epsilons[at]}`;
    find(".epsilon").textContent = epsilon;
    const first = data.probabilities[at].indexOf(largest);
    const said = `${epsilon}; likeliest: ${data.outputs[first]}, ${data.words[at][first]}`;
    slider.setAttribute("aria-valuetext", said);
  };
  slider.oninput = () => show(Number(slider.value));
  slider.value = data.at;
  show(data.at);
}
