// On a phone the sidebar lies over the page, and Streamlit leaves it open after a page was chosen
// in it.  It is closed as its own button does.

if (!window.dptopkPageMenu) {
  window.dptopkPageMenu = true;
  addEventListener("click", (event) => {
    const chosen = event.target.closest?.('[data-testid="stSidebarNavLink"]');
    if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!matchMedia("(max-width: 768px)").matches) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });
}

