// A switch of pages is one entry in the browser's history.  Streamlit makes one with the settings of
// the page that was left; where the new page has others, the server writes them, and Streamlit makes
// a second one of that, which takes the place of the first here.  A busy browser hears of the new
// settings while it still shows the old page: then the page takes the place of the settings.  What a
// person does makes an entry of its own.

if (!window.dptopkOneEntry) {
  window.dptopkOneEntry = true;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let switched = true; // what the app writes into the first address takes its place, too
  let written = false; // whether settings were written since a person last did something
  history.pushState = (state, unused, address) => {
    const path = new URL(address ?? location.href, location.href).pathname;
    const stays = path === location.pathname;
    ((stays ? switched : written) ? replace : push)(state, unused, address);
    [switched, written] = [!stays, stays];
  };
  for (const done of ["pointerdown", "keydown", "popstate"]) {
    addEventListener(done, () => ([switched, written] = [false, false]), true);
  }
}
