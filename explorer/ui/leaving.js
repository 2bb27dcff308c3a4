// Keeps a page's choices for Back. When somebody leaves a page by a link of the menu, Streamlit adds
// an entry without the choices to the browser's history, and when the server has answered, the next
// page. Here, the next page takes that entry's place.
{
  const push = history.pushState.bind(history);
  let isCleared = false;
  history.pushState = (state, unused, url) => {
    const here = new URL(location.href);
    const to = new URL(url ?? here, here);
    const leaves = to.pathname !== here.pathname;
    if (leaves && isCleared) history.replaceState(state, unused, url);
    else push(state, unused, url);
    isCleared = !leaves && here.search !== "" && to.search === "";
  };
  // A person who has reset a page's choices, and then does something else, can go back to them.
  for (const act of ["pointerdown", "keydown"])
    addEventListener(act, () => (isCleared = false), true);
}
