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
    status.textContent = `${next === "dark" ? "Dark" : "Light"} colors`;
  });
  dark.addEventListener("change", label);
  label();

  // The search is made and loaded when somebody opens it, and not before.
  const opener = document.querySelector(".ib-search-open");
  const own = document.currentScript.src;
  opener.addEventListener(
    "click",
    () => {
      const script = document.createElement("script");
      script.src = new URL("search.js", own);
      // Letters that come before the field are kept for it.
      let typed = "";
      const keep = (event) => {
        if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
        typed += event.key;
        event.preventDefault();
      };
      addEventListener("keydown", keep);
      script.onload = script.onerror = () => {
        removeEventListener("keydown", keep);
        const field = document.querySelector(".md-search__input");
        if (field && typed) field.value = typed;
      };
      document.body.append(script);
    },
    { once: true },
  );

  // On paper, the tables of a model are unfolded. Browsers whose style sheets cannot unfold them need this.
  const unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded.push(...all(".ib-on-paper:not([open])"));
    for (const fold of unfolded) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of unfolded.splice(0)) fold.open = false;
  });

  // The text of a dispute is ready to be copied.
  for (const text of all(".ib-dispute textarea")) text.addEventListener("focus", () => text.select());

  // Compare: choose two models instead of looking for the link of their pair in the table.
  const matrix = document.querySelector(".ib-pairs");
  const pick = document.querySelector(".ib-pick");
  if (matrix && pick) {
    const rows = [...matrix.tBodies[0].rows];
    const links = rows.map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")?.href));
    const [first, second] = ["Compare ", " with "].map((words, at) => {
      const label = pick.appendChild(document.createElement("label"));
      const select = document.createElement("select");
      label.append(words, select);
      rows.forEach((row) => select.append(new Option(row.cells[0].textContent.trim())));
      select.selectedIndex = at;
      return select;
    });
    const go = pick.appendChild(document.createElement("button"));
    go.type = "button";
    go.textContent = "Open";
    const there = () => links[first.selectedIndex][second.selectedIndex];
    pick.addEventListener("change", () => (go.disabled = !there()));
    go.addEventListener("click", () => location.assign(there()));
  }

  // Tables: sort by a button in each head, filter by text. The state is in the address: t2=3d sorts the second
  // table by its third column, downward; q2=word filters it. Missing values come last either way.
  const status = document.createElement("p");
  status.className = "ib-hidden";
  status.role = "status";
  document.body.append(status);
  const state = new URLSearchParams(location.search);
  const keep = (key, value) => {
    if (value) state.set(key, value);
    else state.delete(key);
    const query = state.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  };
  const missing = (text) => /^(?:|[–—·-]|n\/a)$/i.test(text);
  const number = (text) => parseFloat((/-?[\d.,]+(?=\s*%)/.exec(text) || /-?\d[\d.,]*/.exec(text) || [""])[0].replaceAll(",", ""));
  const value = (row, at, numeric) => {
    const cell = row.cells[at];
    const text = (cell.dataset.v ?? cell.textContent).trim().replaceAll("\u2212", "-");
    if (missing(text)) return null;
    return numeric ? number(text) : text;
  };
  const compare = (a, b, way) => {
    const [noA, noB] = [a === null || Number.isNaN(a), b === null || Number.isNaN(b)];
    if (noA || noB) return noA - noB;
    return way * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };

  const enhance = (table, index) => {
    const heads = table.tHead && table.tHead.rows.length === 1 ? [...table.tHead.rows[0].cells] : [];
    const bodies = [...table.tBodies];
    const rows = bodies.flatMap((body) => [...body.rows]);
    if (rows.length < 2 || !heads.length || table.querySelector("[colspan],[rowspan]")) return;

    const sort = (at, down) => {
      const numeric = heads[at].classList.contains("n");
      for (const body of bodies) {
        const keyed = [...body.rows].map((row) => [value(row, at, numeric), row]);
        keyed.sort((a, b) => compare(a[0], b[0], down ? -1 : 1));
        body.append(...keyed.map(([, row]) => row));
      }
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[at].ariaSort = down ? "descending" : "ascending";
    };
    heads.forEach((head, at) => {
      if (head.querySelector("a,button") || !head.textContent.trim()) return;
      const name = head.textContent.trim();
      const press = document.createElement("button");
      press.type = "button";
      press.append(...head.childNodes);
      head.append(press);
      press.addEventListener("click", () => {
        const down = head.ariaSort === "ascending";
        sort(at, down);
        keep(`t${index + 1}`, `${at + 1}${down ? "d" : ""}`);
        status.textContent = `Sorted by ${name}, ${down ? "descending" : "ascending"}`;
      });
    });
    const [, at, down] = /^(\d+)(d?)$/.exec(state.get(`t${index + 1}`)) || [];
    if (at >= 1 && at <= heads.length) sort(at - 1, down === "d");

    const place = table.closest(".ib-scroll")?.previousElementSibling;
    if (!place?.matches(".ib-filter")) return;
    const field = document.createElement("input");
    field.type = "search";
    field.autocomplete = "off";
    field.spellcheck = false;
    const named = place.appendChild(document.createElement("label"));
    named.append("Filter rows ", field);
    const filter = () => {
      const words = field.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !row.textContent.toLowerCase().includes(words);
        shown += !row.hidden;
      }
      return shown;
    };
    field.addEventListener("input", () => {
      const shown = filter();
      keep(`q${index + 1}`, field.value.trim());
      status.textContent = `${shown} of ${rows.length} rows shown`;
    });
    field.value = state.get(`q${index + 1}`) || "";
    if (field.value) filter();
  };

  // A table in a closed fold waits until somebody opens it. Its field to filter by is made then, too: browsers look
  // for fields that they can fill in, and lay out a whole closed fold for each field in it.
  all(".ib-table").forEach((table, index) => {
    const fold = table.closest("details:not([open])");
    if (!fold) return enhance(table, index);
    fold.addEventListener("toggle", () => enhance(table, index), { once: true });
    if (state.has(`t${index + 1}`) || state.has(`q${index + 1}`)) fold.open = true;
  });

  // From disk there is no server that answers a folder with its index page.
  if (location.protocol === "file:") {
    opener.hidden = true;
    for (const link of all("a[href]")) {
      if (link.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
    }
  }
})();
