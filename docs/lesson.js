// A lesson without the app: its steps, and its answer once something was predicted.
import law_by_setting from "./law_by_setting.js";
import moving_draws from "./moving_draws.js";
import moving_limit from "./moving_limit.js";

const CLOSE = 0.05; // of the largest number that may be predicted
const redraw = (place) => place.querySelectorAll(".js-plotly-plot").forEach((plot) => Plotly.Plots.resize(plot));

const steps = [...document.querySelectorAll(".step")];
let at = 0;
const showStep = () => {
  steps.forEach((step, i) => step.classList.toggle("shown", i === at));
  redraw(steps[at]);
};
const next = document.querySelector(".next");
if (next) {
  next.onclick = () => {
    at = (at + 1) % steps.length;
    next.textContent = at === steps.length - 1 ? "Begin again" : "Next step";
    showStep();
  };
}
showStep();

const verdict = (guess, { right, high }) => {
  if (guess === "") return "";
  if (high === undefined) return guess === right ? "✓ As you predicted. " : "✗ Not as you predicted. ";
  const off = right - Number(guess);
  if (Math.abs(off) < 0.5) return "✓ As you predicted. ";
  const far = Math.abs(off) <= CLOSE * high ? "Close" : "Not close";
  return `${far}: ${Math.abs(off).toFixed(1)} too ${off < 0 ? "high" : "low"}. `;
};

const pointsOf = (guess, { points, unit, rows }) => points ? points[guess] : rows.map((row) => [unit * guess, row]);
const draw = (plot, input, known) => {
  const words = input.type === "radio" ? input.parentElement.innerText.trim() : input.value;
  const [x, y] = [0, 1].map((axis) => pointsOf(input.value, known).map((point) => point[axis]));
  Plotly.restyle(plot, { x: [x], y: [y], name: `Your prediction: ${words}` }, plot.data.length - 1);
};

for (const form of document.querySelectorAll(".prediction")) {
  form.onsubmit = (event) => {
    event.preventDefault();
    const known = JSON.parse(form.dataset.answer);
    const input = form.querySelector("input:checked, input[type=number]");
    form.querySelector("[role=status]").textContent = `${verdict(input?.value ?? "", known)}The answer: ${known.words}.`;
    const answer = form.nextElementSibling;
    answer.classList.add("shown");
    redraw(answer);
    if (input?.value) draw(answer.querySelector(".js-plotly-plot"), input, known);
  };
}

const linked = document.getElementById(location.hash.slice(1)); // by the search
linked?.querySelector("details")?.setAttribute("open", "");

for (const [name, show] of Object.entries({ law_by_setting, moving_draws, moving_limit })) {
  for (const place of document.querySelectorAll(`.component.${name}`)) {
    show({ parentElement: place, data: JSON.parse(place.dataset.of) });
  }
}
