// A first click into a box beside a scale selects its number: what is typed next takes its place.

if (!window.dptopkTypedBox) {
  window.dptopkTypedBox = true;
  const selectAll = ({ target: box }) => {
    if (box.selectionStart === box.selectionEnd) box.select();
  };
  document.addEventListener("focusin", ({ target: box }) => {
    if (!box.matches?.("[class*='st-key-_typed-'] input")) return;
    box.addEventListener("click", selectAll, { once: true });
  });
}
