// On a phone, the menu lies over the page. It closes when one of its entries is pressed, and is
// closed on every page that is loaded. Streamlit closes it only where a browser says that it is a
// phone's, and remembers for all later pages that it was opened.
{
  const forget = () => {
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith("stSidebarCollapsed-")) localStorage.removeItem(key);
      }
    } catch {
      // The browser has no storage, so nothing was remembered.
    }
  };

  // As if the page beside the menu were pressed, for which Streamlit closes it.
  const close = () => {
    document
      .querySelector("[data-testid=stMain]")
      ?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  };

  // Before Streamlit reads what it has remembered.
  forget();
  addEventListener("popstate", close);
  // After Streamlit has opened the menu, or the page of an entry.
  addEventListener("click", ({ target }) => {
    forget();
    if (target instanceof Element && target.closest("[data-testid=stSidebarNavLink]")) close();
  });
}
