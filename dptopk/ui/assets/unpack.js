/** Unpack Plotly, which draws figures: it travels with the file, which needs no network. */
async function plotly() {
  const text = document.getElementById("plotly").textContent;
  const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}
