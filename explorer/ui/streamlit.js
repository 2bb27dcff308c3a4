// Two corrections of Streamlit's page.
{
  // It would look for its server below the page's address first, in vain.
  window.__streamlit = { ...window.__streamlit, BACKEND_BASE_URL: location.origin };

  // Its dialog about a lost connection covers the page, and does not say that the page goes on by
  // itself. It is closed, and a line at the bottom says so until the connection is back (shell.css).
  const LOST = /server is not responding|Is Streamlit still running/;
  const line = document.createElement("p");
  line.className = "nip-no-server";
  line.setAttribute("role", "status");
  new MutationObserver(() => {
    const dialogs = [...document.querySelectorAll("[data-testid=stDialog]")];
    const dialog = dialogs.find((each) => LOST.test(each.textContent));
    if (!dialog) return;
    /** @type {HTMLButtonElement} */
    const close = dialog.querySelector("button[aria-label=Close]");
    close?.click();
    line.textContent = "The server does not answer. The page goes on by itself when it is back.";
    document.body.append(line);
  }).observe(document.body, { childList: true });
}
