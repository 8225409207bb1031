// A button whose dialog asks for a file opens the browser's choice of files with it, as long as the
// browser takes that for a consequence of the click.

if (!window.dptopkPickFile) {
  window.dptopkPickFile = true;
  const asks = "[class*='st-key-upload'] button";
  const input = "[role=dialog] [data-testid=stFileUploader] input[type=file]";
  document.addEventListener("click", (event) => {
    if (!event.target?.closest?.(asks)) return;
    const shown = new MutationObserver(() => {
      const file = document.querySelector(input);
      if (!file) return;
      shown.disconnect();
      if (!navigator.userActivation?.isActive) return;
      file.closest("[role=dialog]").focus(); // to come back to
      file.click();
    });
    shown.observe(document.body, { childList: true, subtree: true });
    setTimeout(() => shown.disconnect(), 5000);
  }, true);
}
