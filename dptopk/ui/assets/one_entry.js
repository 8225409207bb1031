// A switch of pages is one entry in the browser's history.  Streamlit makes one with the settings of
// the page that was left; where the new page has others, the server writes them, and Streamlit makes
// a second one of that, which takes the place of the first here.  What a person does makes its own.

if (!window.dptopkOneEntry) {
  window.dptopkOneEntry = true;
  const push = history.pushState.bind(history);
  let switched = true; // what the app writes into the first address takes its place, too
  history.pushState = (state, unused, address) => {
    const path = new URL(address ?? location.href, location.href).pathname;
    const stays = path === location.pathname;
    (stays && switched ? history.replaceState.bind(history) : push)(state, unused, address);
    switched = !stays;
  };
  for (const done of ["pointerdown", "keydown", "popstate"]) {
    addEventListener(done, () => (switched = false), true);
  }
}

