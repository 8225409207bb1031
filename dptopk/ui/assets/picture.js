// A picture of a Plotly graph that says what it shows: the graph as it stands on the page, its
// title above and its settings below, wrapped to its width.  Nothing is drawn anew, so it needs no
// library and looks as on the page.

const FONT = '"Source Sans 3", "Source Sans Pro", "Source Sans", Arial, "Liberation Sans", sans-serif';
const MARGIN = 16;

/** Break a text into lines that are no wider than so many pixels. */
function wrapped(text, font, width) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const fits = line => context.measureText(line).width <= width;
  const lines = [];
  let line = "";
  for (let word of text.split(" ")) {
    if (line && fits(`${line} ${word}`)) {
      line = `${line} ${word}`;
      continue;
    }
    if (line) lines.push(line);
    while (!fits(word)) {  // a name without any space
      let n = word.length - 1;
      while (n > 1 && !fits(word.slice(0, n))) n -= 1;
      lines.push(word.slice(0, n));
      word = word.slice(n);
    }
    line = word;
  }
  return line ? [...lines, line] : lines;
}

/** First colour behind an element that is not transparent. */
function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color && color !== "transparent" && !/, 0\)$/.test(color)) return color;
  }
  return "white";
}

/** The graph with its words, as an SVG element: words = {title, lines}. */
function picture(graph, words) {
  const namespace = "http://www.w3.org/2000/svg";
  const box = graph.querySelector(".svg-container").getBoundingClientRect();
  const width = Math.ceil(box.width) + 2 * MARGIN;
  const inner = width - 2 * MARGIN;
  const made = (name, attributes) => {
    const element = document.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const whole = made("svg", { xmlns: namespace, "font-family": FONT });
  const fill = getComputedStyle(graph.parentElement).color;
  let y = MARGIN;
  const write = (text, size, weight) => {
    for (const line of wrapped(text, `${weight} ${size}px ${FONT}`, inner)) {
      y += Math.round(1.35 * size);
      const element = made("text", { x: MARGIN, y, fill, "font-size": size, "font-weight": weight });
      element.textContent = line;
      whole.append(element);
    }
  };
  write(words.title, 18, 600);
  y += 8;
  for (const layer of graph.querySelectorAll("svg.main-svg")) {
    const copy = layer.cloneNode(true);
    copy.querySelectorAll(".hoverlayer > *, .modebar").forEach(element => element.remove());
    copy.setAttribute("x", MARGIN);
    copy.setAttribute("y", y);
    copy.style.background = "none";
    whole.append(copy);
  }
  y += Math.ceil(box.height);
  words.lines.forEach(line => write(line, 13, 400));
  const height = y + MARGIN;
  whole.prepend(made("rect", { width, height, fill: background(graph) }));
  whole.setAttribute("width", width);
  whole.setAttribute("height", height);
  whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
  // names of clips and patterns are those of the page: here they get their own
  whole.innerHTML = whole.innerHTML
    .replace(/ id="/g, ' id="picture-')
    .replace(/url\((&quot;|"|')?[^)#]*#/g, "url($1#picture-")
    .replace(/ (xlink:)?href="#/g, ' $1href="#picture-')
    .replaceAll("vector-effect: non-scaling-stroke;", "");  // lines scale with the picture
  return whole;
}

/** Rules for the graph's web font, with the font inside: a picture reaches no other file. */
async function webFonts(graph) {
  const used = getComputedStyle(graph.querySelector("text")).fontFamily.split(",")[0];
  const family = used.replace(/["']/g, "").trim();
  const rules = [...document.styleSheets]
    .flatMap(sheet => [...sheet.cssRules])
    .filter(rule => rule instanceof CSSFontFaceRule)
    .filter(rule => rule.style.fontFamily.replace(/["']/g, "") === family)
    .filter(rule => rule.style.fontStyle !== "italic");
  return Promise.all(rules.map(async rule => {
    const address = new URL(rule.style.src.match(/url\(["']?([^"')]+)/)[1], rule.parentStyleSheet.href);
    const bytes = await (await fetch(address)).blob();
    const inside = await new Promise(done => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.readAsDataURL(bytes);
    });
    const weight = rule.style.fontWeight || "normal";
    return `@font-face {font-family: "${family}"; font-weight: ${weight}; src: url(${inside})}`;
  }));
}

/** Hand a picture over as a file. */
async function save(graph, words, name, kind) {
  const drawn = picture(graph, words);
  const style = document.createElementNS(drawn.namespaceURI, "style");
  style.textContent = (await webFonts(graph)).join("\n");
  drawn.prepend(style);
  const text = new XMLSerializer().serializeToString(drawn);
  let file = new Blob([text], { type: "image/svg+xml" });
  if (kind === "png") {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    const scale = Math.max(2, Math.min(4, 1600 / image.width));  // fit for print, also of a phone's
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    file = await new Promise(done => canvas.toBlob(done, "image/png"));
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${name}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Put a graph's picture into a place while the page is printed; returns how to stop doing so. */
function printed(find, words, place) {
  const before = () => find() && place.replaceChildren(picture(find(), words()));
  const after = () => place.replaceChildren();
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  return () => {
    after();
    window.removeEventListener("beforeprint", before);
    window.removeEventListener("afterprint", after);
  };
}
