// The search of the theme: its dialog, and what its script expects of a page. Loaded when a reader opens the search.
(() => {
  const own = document.currentScript.src;
  const at = (path) => new URL(path, own).href;
  const page = (what) => document.querySelector(what);
  const opener = page(".ib-search-open");

  document.body.insertAdjacentHTML(
    "afterbegin",
    `<input class="md-toggle" data-md-toggle="drawer" type="checkbox" id="__drawer">
<input class="md-toggle" data-md-toggle="search" type="checkbox" id="__search">`,
  );
  opener.insertAdjacentHTML(
    "afterend",
    `<div class="md-search" data-md-component="search" role="dialog" aria-label="Search">
<label class="md-search__overlay" for="__search"></label>
<div class="md-search__inner" role="search" aria-label="This site">
<form class="md-search__form" name="search">
<input type="text" class="md-search__input" name="query" aria-label="Search models, checks and scenarios" placeholder="Search" autocapitalize="off" autocorrect="off" autocomplete="off" spellcheck="false" data-md-component="search-query" required>
<label class="md-search__icon md-icon" for="__search" aria-hidden="true"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M9.5 3A6.5 6.5 0 0 1 16 9.5c0 1.61-.59 3.09-1.56 4.23l.27.27h.79l5 5-1.5 1.5-5-5v-.79l-.27-.27A6.52 6.52 0 0 1 9.5 16 6.5 6.5 0 0 1 3 9.5 6.5 6.5 0 0 1 9.5 3m0 2C7 5 5 7 5 9.5S7 14 9.5 14 14 12 14 9.5 12 5 9.5 5"/></svg><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M20 11v2H8l5.5 5.5-1.42 1.42L4.16 12l7.92-7.92L13.5 5.5 8 11z"/></svg></label>
<div class="md-search__options"><button type="reset" class="md-search__icon md-icon" aria-label="Clear the search" tabindex="-1"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true"><path d="M19 6.41 17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z"/></svg></button></div>
</form>
<div class="md-search__output">
<div class="md-search__scrollwrap" tabindex="0" role="region" aria-label="Search results" data-md-scrollfix>
<div class="md-search-result" data-md-component="search-result">
<div class="md-search-result__meta">Loading the search</div>
<ol class="md-search-result__list" role="presentation"></ol>
</div>
</div>
</div>
</div>
</div>`,
  );
  page("header").dataset.mdComponent = "header";
  page("main").dataset.mdComponent = "main";

  const config = document.createElement("script");
  config.id = "__config";
  config.type = "application/json";
  config.textContent = JSON.stringify({
    base: at(".."),
    features: [],
    translations: {{ config.extra.frame.words | tojson }},
    search: at("../{{ config.extra.assets.worker }}"),
  });
  const script = document.createElement("script");
  script.src = at("../{{ config.extra.assets.bundle }}");
  document.body.append(config, script);

  // The focus goes into the dialog. It goes back to the button when the reader closes the dialog, and the dialog
  // closes when the focus leaves it.
  const toggle = page("#__search");
  const dialog = page(".md-search");
  const inside = (element) => dialog.contains(element);
  toggle.addEventListener("change", () => {
    if (toggle.checked) dialog.querySelector("input").focus();
    else if (inside(document.activeElement)) opener.focus();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && toggle.checked) toggle.click();
    // The theme would close the search at Tab, and go to the field at Shift.
    if (event.key === "Tab" || event.key === "Shift") event.stopPropagation();
  });
  dialog.addEventListener("focusout", (event) => {
    if (toggle.checked && event.relatedTarget && !inside(event.relatedTarget)) toggle.click();
  });
  // The theme turns single letters anywhere on the page into commands.
  document.addEventListener("keydown", (event) => {
    if (event.key.length === 1 && !inside(event.target)) event.stopPropagation();
  });
  dialog.addEventListener("submit", (event) => event.preventDefault());
  opener.addEventListener("click", () => toggle.click());
  toggle.click();
})();
