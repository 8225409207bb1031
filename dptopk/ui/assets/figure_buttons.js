// What saves a figure of the app as a picture: buttons if they have a name, else for print alone.
// picture.js stands before this.

/** The words, with today's date at the end. */
function dated(words) {
  const now = new Date();
  const two = number => String(number).padStart(2, "0");
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return { title: words.title, lines: [...words.lines, `${words.made}, ${date}`] };
}

export default function ({ data, parentElement }) {
  parentElement.leave?.();  // called anew with new data or colours, and nobody has cleaned up
  const find = () => document.querySelector(`.st-key-${data.chart} .js-plotly-plot`);
  const place = document.createElement("div");
  place.className = "dptopk-printed";
  const row = document.createElement("div");
  row.className = "dptopk-saves";
  for (const [kind, shown] of data.what ? [["png", `${data.what} as PNG`], ["svg", "SVG"]] : []) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = shown;
    button.setAttribute("aria-label", `${data.what} as ${kind.toUpperCase()}`);
    button.onclick = () => save(find(), dated(data.words), data.file, kind);
    row.append(button);
  }
  parentElement.append(row, place);
  const stop = data.what ? () => {} : printed(find, () => dated(data.words), place);
  parentElement.leave = () => {
    stop();
    row.remove();
    place.remove();
  };
  return parentElement.leave;
}
