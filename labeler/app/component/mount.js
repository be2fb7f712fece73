// What Streamlit calls on every run of the page. The page's state outlives it, so that a rerun, a reconnect or a visit
// to another screen never redraws or forgets anything, and there is one listener for keys however often it is called.

function identityOf({ store, annotator, spotcheck }) {
  return JSON.stringify([store, annotator, spotcheck]);
}

// Reads, or with a value keeps, a setting of this computer.
function setting(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch {
    // a browser that keeps nothing: the setting lasts as long as the page
  }
  return null;
}

// Streamlit lays a dialog over the page when its server is away. The page says so itself, in its own line, and labelling
// goes on meanwhile: the dialog is closed as a person would close it.
function closeConnectionDialog() {
  for (const dialog of document.querySelectorAll("[data-testid=stDialog]")) {
    if (dialog.querySelector("h2")?.textContent === "Connection error") dialog.querySelector("button[aria-label=Close]")?.click();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const shared = (window.labelerLabeling ??= { page: null });
  if (!shared.listening) {
    shared.listening = true;
    addEventListener("keydown", (press) => shared.page && listen(shared.page, press), { capture: true });
    const quiet = () => shared.page.view.root.isConnected && closeConnectionDialog();
    new MutationObserver(quiet).observe(document.body, { childList: true });
    addEventListener("resize", () => shared.page?.view.fit());
  }
  if (shared.page?.identity !== identityOf(data)) {
    shared.page?.retire();
    shared.page = new Labeling(data);
  }
  const { page } = shared;
  page.update(data, setTriggerValue);
  const host = parentElement.querySelector(".lb-mount") ?? parentElement;
  if (page.view.root.parentElement !== host) {
    host.replaceChildren(page.view.root);
    page.view.settle(host);
    page.refill({ fresh: page.deck.loaded });
  }
}
