// Enhancements only: without this script every page says everything. No dependencies, no state but the URL's.
(() => {
  const root = document.documentElement;
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];

  // The scheme: the reader's choice is kept; a choice that equals the system's is forgotten again.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = document.querySelector(".ib-scheme");
  const chosen = () => root.dataset.ibScheme || (dark.matches ? "dark" : "light");
  const label = () => {
    button.ariaLabel = button.title = `Use ${chosen() === "dark" ? "light" : "dark"} colors`;
  };
  button.addEventListener("click", () => {
    const next = chosen() === "dark" ? "light" : "dark";
    const system = next === (dark.matches ? "dark" : "light");
    if (system) delete root.dataset.ibScheme;
    else root.dataset.ibScheme = next;
    try {
      if (system) localStorage.removeItem("ib-scheme");
      else localStorage.setItem("ib-scheme", next);
    } catch {}
    label();
  });
  dark.addEventListener("change", label);
  label();

  // The search and its index are loaded when somebody opens the search, and not before.
  const search = document.querySelector(".md-search");
  const toggle = document.getElementById("__search");
  const config = document.getElementById("__config");
  const load = () => {
    if (!config.dataset.asked) {
      config.dataset.asked = "yes";
      const script = document.createElement("script");
      script.src = JSON.parse(config.textContent).bundle;
      document.body.append(script);
    }
  };
  search.addEventListener("focusin", () => {
    toggle.checked = true;
    load();
  });
  search.addEventListener("submit", (event) => event.preventDefault());
  toggle.addEventListener("change", () => {
    if (toggle.checked) search.querySelector("input").focus();
  });

  // From disk there is no server that answers a folder with its index page.
  if (location.protocol === "file:") {
    search.hidden = true;
    for (const link of all("a[href]")) {
      if (link.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
    }
  }
})();
