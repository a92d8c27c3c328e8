"use strict";
(() => {
  const { batch, lines } = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const KEPT = "ib-review-" + batch.hash;
  const MOST_UNDO = 200;
  const WORDS = { pass: "Pass", fail: "Fail", cannot_tell: "Cannot tell" };
  let state = { reader: null, at: 0, answers: {}, undo: [] };
  let chosen = null; // the words that are selected in a marked reply: {turn, quote}

  // Everything from the data is set as text, never as markup.
  const make = (tag, text, given = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
    return element;
  };
  const regions = window.Intl && Intl.DisplayNames ? new Intl.DisplayNames(["en"], { type: "region" }) : null;
  const country = (code) => {
    try {
      return regions ? regions.of(code) : code;
    } catch {
      return code; // no code of a country
    }
  };
  const say = (words) => { at("said-back").textContent = words; };
  const save = () => {
    try {
      localStorage.setItem(KEPT, JSON.stringify(state));
    } catch {
      say("This browser does not save answers. Export them before you close the page.");
    }
  };
  const restore = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      if (kept && kept.answers) state = { ...state, ...kept };
    } catch { /* nothing was kept */ }
  };

  const item = () => batch.items[state.at];
  const blank = () => ({ answer: null, marked: [], note: "" });
  const given = (id) => state.answers[id] || blank();
  const complete = (one) => one.answer !== null && (one.answer !== "fail" || one.marked.length > 0);
  const answered = () => batch.items.filter((one) => complete(given(one.id))).length;

  const change = (edit, what) => {
    const { id } = item();
    const before = given(id);
    const after = edit(structuredClone(before));
    if (what !== "note" || !state.undo.length || state.undo.at(-1).what !== "note" || state.undo.at(-1).id !== id) {
      state.undo = [...state.undo, { id, before, what }].slice(-MOST_UNDO);
    }
    state.answers[id] = after;
    save();
    showAnswer();
  };

  const choose = (answer) => change((one) => ({ ...one, answer }), "answer");
  const mark = () => {
    chosen = selected() || chosen; // the event of the selection can come after the key
    if (chosen === null) {
      say("First select words in a reply that is to be judged: click or tap a sentence.");
      return;
    }
    const { turn, quote } = chosen;
    if (given(item().id).marked.some((one) => one.turn === turn && one.quote === quote)) return;
    change((one) => ({ ...one, marked: [...one.marked, { turn, quote }] }), "mark");
  };
  const unmark = (place) => {
    change((one) => ({ ...one, marked: one.marked.filter((_, index) => index !== place) }), "mark");
    at("mark").focus();
  };
  const undo = () => {
    const last = state.undo.pop();
    if (!last) {
      say("There is nothing to undo.");
      return;
    }
    state.answers[last.id] = last.before;
    const place = batch.items.findIndex((one) => one.id === last.id);
    save();
    if (place !== state.at) go(place); else showAnswer();
    say("Undone: " + { answer: "the answer", mark: "the marked words", note: "the note" }[last.what] + ".");
  };
  const go = (place) => {
    if (place < 0 || place >= batch.items.length) {
      say(place < 0 ? "This is the first item." : "This is the last item. Export your answers.");
      return;
    }
    state.at = place;
    save();
    showItem();
  };
  const goOpen = () => {
    const order = batch.items.map((_, index) => (state.at + 1 + index) % batch.items.length);
    const next = order.find((index) => !complete(given(batch.items[index].id)));
    if (next === undefined) say("Every item has an answer. Export your answers."); else go(next);
  };

  const showMessage = (message) => {
    const who = message.role === "user" ? "Person" : "Assistant";
    const box = make("li", undefined, { class: message.judged ? "assistant judged" : message.role });
    box.append(make("h3", who + ", turn " + message.turn + (message.judged ? ": judge this reply" : "")));
    const words = make("p", message.content, { dir: "auto", lang: item().language });
    if (message.judged) {
      words.dataset.turn = message.turn;
      words.tabIndex = 0;
      words.setAttribute("role", "group");
      words.setAttribute("aria-label", "Reply in turn " + message.turn + ". Arrow keys select sentences, M marks them.");
    }
    box.append(words);
    return box;
  };
  const showItem = () => {
    const one = item();
    at("start").hidden = true;
    at("export").hidden = false;
    at("work").hidden = false;
    at("item-title").textContent = "Item " + (state.at + 1) + " of " + batch.items.length;
    at("place").textContent = one.country ? "The person is in this country: " + country(one.country) : "";
    at("place").hidden = !one.country;
    at("said").replaceChildren(...one.messages.map(showMessage));
    at("name").textContent = one.asked.name;
    at("summary").textContent = one.asked.summary;
    for (const rule of ["fail", "pass", "unclear"]) at(rule + "-rule").textContent = one.asked[rule + "_rule"];
    at("note").value = given(one.id).note;
    chosen = null;
    say("");
    showAnswer();
    window.scrollTo(0, 0);
    at("item-title").focus({ preventScroll: true });
  };
  const showAnswer = () => {
    const one = given(item().id);
    for (const button of document.querySelectorAll("[data-answer]")) {
      button.setAttribute("aria-pressed", String(button.dataset.answer === one.answer));
    }
    at("marked").replaceChildren(...one.marked.map((words, place) => {
      const row = make("li");
      const remove = make("button", "Remove", { type: "button", "aria-label": "Remove marked words " + (place + 1) });
      remove.addEventListener("click", () => unmark(place));
      row.append(make("q", words.quote), remove);
      return row;
    }));
    if (at("note").value !== one.note) at("note").value = one.note;
    at("mark").disabled = chosen === null;
    at("undo").disabled = state.undo.length === 0;
    at("back").disabled = state.at === 0;
    highlight(one.marked);
    showProgress();
    if (one.answer === "fail" && !one.marked.length) {
      say(item().asked.failure === "left_out"
        ? "Fail: now mark the nearest thing that the assistant said."
        : "Fail: now mark the words that show it.");
    } else if (one.answer) say(WORDS[one.answer] + ". Saved.");
    else say("");
  };
  const showProgress = () => {
    at("progress").textContent = answered() + " of " + batch.items.length + " answered";
    at("bar").max = batch.items.length;
    at("bar").value = answered();
  };
  const highlight = (marked) => {
    if (!window.CSS || !CSS.highlights || !window.Highlight) return;
    const ranges = [];
    for (const { turn, quote } of marked) {
      const node = document.querySelector('[data-turn="' + Number(turn) + '"]');
      const from = node ? node.textContent.indexOf(quote) : -1;
      if (from < 0) continue;
      const range = new Range();
      range.setStart(node.firstChild, from);
      range.setEnd(node.firstChild, from + quote.length);
      ranges.push(range);
    }
    CSS.highlights.set("marked", new Highlight(...ranges));
  };

  // The words that are selected, if they all lie in one marked reply.
  const selected = () => {
    const selection = document.getSelection();
    if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const holder = range.commonAncestorContainer;
    const reply = (holder.nodeType === Node.TEXT_NODE ? holder.parentElement : holder).closest("[data-turn]");
    const quote = range.toString().trim();
    return reply && quote ? { turn: Number(reply.dataset.turn), quote } : null;
  };
  document.addEventListener("selectionchange", () => {
    const found = selected();
    // A tap on a button clears the selection on some tablets, so the last one is kept.
    if (found !== null) chosen = found;
    at("mark").disabled = chosen === null;
  });
  const sentences = (text) => {
    const found = [];
    const form = /[^.!?\n]+[.!?]*["'”’)]*/g;
    for (let one = form.exec(text); one; one = form.exec(text)) {
      const lead = one[0].length - one[0].trimStart().length;
      if (one[0].trim()) found.push([one.index + lead, one.index + one[0].trimEnd().length]);
    }
    return found;
  };
  // A click or a tap selects the sentence under it: on a tablet, selecting words takes a long touch.
  const caret = (x, y) => {
    if (document.caretPositionFromPoint) {
      const found = document.caretPositionFromPoint(x, y);
      return found && [found.offsetNode, found.offset];
    }
    const found = document.caretRangeFromPoint && document.caretRangeFromPoint(x, y);
    return found && [found.startContainer, found.startOffset];
  };
  document.addEventListener("click", (event) => {
    const reply = event.target.closest("[data-turn]");
    const selection = document.getSelection();
    if (!reply || !reply.firstChild || !selection.isCollapsed) return;
    const [node, offset] = caret(event.clientX, event.clientY) || [];
    if (node !== reply.firstChild) return;
    const place = sentences(node.data).find(([start, end]) => start <= offset && offset <= end);
    if (place) selection.setBaseAndExtent(node, place[0], node, place[1]);
  });
  const step = (reply, forward) => {
    const node = reply.firstChild;
    if (!node) return;
    const places = sentences(node.data);
    if (!places.length) return;
    const selection = document.getSelection();
    const inside = selection.rangeCount && reply.contains(selection.anchorNode) && !selection.isCollapsed;
    const from = inside ? selection.getRangeAt(0).startOffset : -1;
    const now = places.findIndex(([start, end]) => start <= from && from < end);
    const next = now < 0 ? (forward ? 0 : places.length - 1) : now + (forward ? 1 : -1);
    const [start, end] = places[Math.max(0, Math.min(places.length - 1, next))];
    selection.setBaseAndExtent(node, start, node, end);
  };

  const exported = () => ({
    schema_version: 1, kind: "review_answers", batch: batch.hash, results_hash: batch.results_hash,
    draw: batch.draw, reader: state.reader, date: new Date().toISOString().slice(0, 10),
    answers: batch.items.filter((one) => complete(given(one.id))).map((one) => ({ item: one.id, ...given(one.id) })),
  });
  const download = () => {
    if (!state.reader) return;
    const blob = new Blob([JSON.stringify(exported(), null, 2) + "\n"], { type: "application/json" });
    const link = make("a", "", {
      download: "review-" + state.reader.pseudonym.replaceAll(/[^A-Za-z0-9]+/g, "-") + "-" + batch.hash.slice(0, 8) + ".json",
    });
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    const left = batch.items.length - answered();
    say(left ? "Exported. " + left + " items have no answer yet, so this file can only be kept." : "Exported. Thank you.");
  };
  const load = async (file) => {
    try {
      const found = JSON.parse(await file.text());
      if (found.kind !== "review_answers" || found.batch !== batch.hash) throw new Error();
      state = { reader: found.reader, at: 0, answers: {}, undo: [] };
      for (const { item: id, answer, marked, note } of found.answers) state.answers[id] = { answer, marked, note };
      save();
      showItem();
    } catch {
      at("load").setCustomValidity("This is no answers file of this batch.");
      at("load").reportValidity();
    }
  };
  const pause = () => { if (!at("paused").open) at("paused").showModal(); };

  for (const place of document.querySelectorAll(".lines")) {
    if (!lines.length) continue;
    place.append(make("p", "If you or somebody with you is in danger, or thinks of suicide:"));
    const list = make("ul");
    for (const line of lines) list.append(make("li", country(line.country) + ": " + line.name + ", " + line.contact));
    place.append(list);
  }
  at("reader").addEventListener("submit", (event) => {
    event.preventDefault();
    state.reader = {
      pseudonym: at("pseudonym").value.trim(), role: at("role").value, language: at("language").value,
    };
    save();
    showItem();
  });
  at("load").addEventListener("change", () => {
    at("load").setCustomValidity("");
    if (at("load").files.length) load(at("load").files[0]);
  });
  for (const button of document.querySelectorAll("[data-answer]")) {
    button.addEventListener("click", () => choose(button.dataset.answer));
  }
  at("note").addEventListener("input", () => change((one) => ({ ...one, note: at("note").value }), "note"));
  const ACTIONS = {
    mark, undo, pause, export: download, open: goOpen, back: () => go(state.at - 1), next: () => go(state.at + 1),
  };
  for (const [id, action] of Object.entries(ACTIONS)) at(id).addEventListener("click", action);
  at("resume").addEventListener("click", () => at("paused").close());
  const KEYS = {
    p: () => choose("pass"), f: () => choose("fail"), c: () => choose("cannot_tell"), m: mark, u: undo, e: download,
    j: ACTIONS.next, k: ACTIONS.back, o: goOpen, n: () => at("note").focus(), escape: pause,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at("paused").open || at("work").hidden) return;
    const where = event.target;
    if (where.closest("textarea, input, select")) {
      if (event.key === "Escape") { event.preventDefault(); at("item-title").focus(); }
      return;
    }
    const reply = where.closest("[data-turn]");
    if (reply && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      const forward = event.key === "ArrowRight";
      if (event.shiftKey) document.getSelection().modify("extend", forward ? "forward" : "backward", "word");
      else step(reply, forward);
      return;
    }
    const action = KEYS[event.key.toLowerCase()];
    if (action) { event.preventDefault(); action(); }
  });

  restore();
  showProgress();
  if (state.reader) showItem();
})();
