// Refreshes the page in place. Without scripts the page reloads itself.
"use strict";
(() => {
  // Milliseconds; 0 if the page is paused.
  const pace = (root) => {
    const note = root.querySelector("#clock + .pace");
    const match = note && note.textContent.match(/refreshes every (\d+) s/);
    return match ? Number(match[1]) * 1000 : 0;
  };
  let period = pace(document);
  let tag = null;
  let held = null;

  // Each part as the server sent it. On the page, this script has added titles and buttons.
  const parts = (root) => [...root.querySelectorAll("[data-live][id]")];
  const served = new Map(parts(document).map((part) => [part.id, part.outerHTML]));

  const busy = () => {
    if (document.querySelector("input[type=checkbox]:checked")) return true;
    const active = document.activeElement;
    if (active && active.closest("form") && active.matches("input, select, textarea")) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed);
  };

  // An instant in the reader's local time, with the day if it differs from the day in UTC: 22:33 or 27 Nov 01:33. Empty if
  // the reader's clock shows UTC.
  const local = (at) => {
    if (at.getTimezoneOffset() === 0) return "";
    const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    if (at.getDate() === at.getUTCDate()) return clock;
    return at.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) + " " + clock;
  };
  // Tokyo for Asia/Tokyo.
  const place = Intl.DateTimeFormat().resolvedOptions().timeZone.split("/").pop().replaceAll("_", " ");

  // Adds the reader's local time: beside each time of day, and as the title of every instant.
  const localise = (root) => {
    const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
    for (const time of root.querySelectorAll("time[datetime]")) {
      const at = new Date(time.getAttribute("datetime"));
      if (isNaN(at) || time.title) continue;
      time.title = format.format(at);
      const own = local(at);
      if (!own || !/\d\d:\d\d$/.test(time.textContent)) continue;
      const beside = document.createElement("span");
      beside.className = "local";
      beside.textContent = " (" + own + ")";
      time.append(beside);
    }
  };

  // Sets the clock at the top to an instant such as 2026-11-22 14:32:07.
  const showClock = (rendered) => {
    const own = local(new Date(rendered.replace(" ", "T") + "Z"));
    document.getElementById("clock").textContent = rendered.slice(11) + " UTC" + (own ? " (" + own + " in " + place + ")" : "");
  };

  // Fills in a name that was typed once in every form that asks for one.
  const remember = (root) => {
    let known = null;
    try { known = localStorage.getItem("by"); } catch { return; }
    // As the default value: a form that contains only the name must not count as half filled in.
    for (const field of root.querySelectorAll("input[name=by]")) if (known && !field.defaultValue) field.defaultValue = known;
  };
  document.addEventListener("submit", (event) => {
    const field = event.target.elements.by;
    try { if (field && field.value.trim()) localStorage.setItem("by", field.value.trim()); } catch {}
  });

  // Adds a button after each text that can be copied.
  const offerCopies = (root) => {
    if (!navigator.clipboard) return;
    for (const code of root.querySelectorAll("[data-copy]")) {
      if (code.nextElementSibling && code.nextElementSibling.matches("button.copy")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy " + code.textContent.trim());
      button.addEventListener("click", () => {
        navigator.clipboard.writeText(code.textContent.trim()).then(() => {
          button.textContent = "Copied";
          setTimeout(() => { button.textContent = "Copy"; }, 2000);
        }, () => {});
      });
      code.after(button);
    }
  };

  // A button that shows a text copies it instead, if the browser allows that.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies]");
    const text = button && document.getElementById(button.dataset.copies);
    if (!text || !navigator.clipboard) return;
    event.preventDefault();
    const label = button.dataset.label ??= button.textContent;
    navigator.clipboard.writeText(text.textContent.trim()).then(() => {
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 2000);
    }, () => { button.parentElement.open = true; });
  });

  // A line above the page.
  const bar = (id, looks) => {
    let line = document.getElementById(id);
    if (!line) {
      line = document.createElement("p");
      line.id = id;
      line.className = looks;
      line.setAttribute("role", "status");
      document.body.prepend(line);
    }
    return line;
  };
  const dismiss = (id) => {
    const line = document.getElementById(id);
    if (line) line.remove();
  };

  // After a refresh without an answer: says since when the page is old, and dims it.
  let heard = new Date();
  const away = () => {
    bar("away", "news away").textContent =
      "No answer since " + heard.toISOString().slice(11, 16) + " UTC. This page shows the state at that time.";
    document.body.classList.add("old");
  };
  const here = () => {
    heard = new Date();
    dismiss("away");
    document.body.classList.remove("old");
  };

  const rows = "main tr[id], main li[id]";
  const rowIDs = (root) => [...root.querySelectorAll(rows)].map((row) => row.id);

  // The first row that the reader sees.
  const anchor = () => [...document.querySelectorAll(rows)].find((row) => row.getBoundingClientRect().bottom > 0);

  const replace = (next) => {
    const first = anchor();
    const top = first ? first.getBoundingClientRect().top : 0;
    const focused = document.activeElement;
    const focus = focused && focused.closest("[data-live]") ? { row: focused.closest("[id]"), href: focused.getAttribute("href"), isSummary: focused.matches("summary") } : null;
    const open = new Set([...document.querySelectorAll("details[open][id]")].map((element) => element.id));
    for (const fresh of parts(next)) {
      const stale = document.getElementById(fresh.id);
      if (!stale || [served.get(fresh.id), stale.outerHTML].includes(fresh.outerHTML)) continue;
      served.set(fresh.id, fresh.outerHTML);
      const node = document.importNode(fresh, true);
      for (const details of node.querySelectorAll("details[id]")) details.open = open.has(details.id) || details.open;
      // Keeps what was typed into an open form.
      for (const field of stale.querySelectorAll("details[open] :is(input:not([type=hidden]), select)")) {
        const same = node.querySelector(`#${field.closest("details").id} [name="${field.name}"]`);
        if (same) same.value = field.value;
      }
      stale.replaceWith(node);
    }
    localise(document);
    remember(document);
    offerCopies(document);
    document.title = next.title;
    const icon = document.querySelector("link[rel=icon]");
    const other = next.querySelector("link[rel=icon]");
    if (icon && other && icon.getAttribute("href") !== other.getAttribute("href")) icon.setAttribute("href", other.getAttribute("href"));
    if (first) {
      const same = document.getElementById(first.id);
      if (same) scrollBy(0, same.getBoundingClientRect().top - top);
    }
    if (focus && focus.row && (focus.href || focus.isSummary)) {
      const home = document.getElementById(focus.row.id);
      const link = home && (focus.isSummary ? home.querySelector("summary")
        : [...home.querySelectorAll("a")].find((element) => element.getAttribute("href") === focus.href));
      if (link) link.focus({ preventScroll: true });
    }
  };

  const tell = (count, next) => {
    held = next;
    const line = bar("news", "news");
    line.textContent = count + (count === 1 ? " change above" : " changes above");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show";
    button.addEventListener("click", () => { line.remove(); replace(held); held = null; });
    line.append(button);
  };

  const refresh = async () => {
    if (document.hidden || busy()) return;
    let answer;
    try {
      answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag, "X-Requested-With": "fetch" } : { "X-Requested-With": "fetch" }, cache: "no-store", credentials: "same-origin" });
    } catch { away(); return; }
    // The session has ended.
    if (answer.status === 401) { location.assign("/login?to=" + encodeURIComponent(location.pathname + location.search)); return; }
    if (!answer.ok && answer.status !== 304) { away(); return; }
    here();
    const shown = answer.headers.get("X-Rendered");
    if (shown) {
      showClock(shown);
      const rendered = document.getElementById("rendered");
      if (rendered) rendered.textContent = shown;
    }
    if (answer.status === 304 || answer.redirected || !answer.ok) return;
    tag = answer.headers.get("ETag");
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    period = pace(next) || period;
    if (busy()) return;
    const first = anchor();
    if (first && scrollY > 200) {
      const above = (ids) => new Set(ids.slice(0, Math.max(0, ids.indexOf(first.id))));
      const [before, after] = [above(rowIDs(document)), above(rowIDs(next))];
      const changed = [...after].filter((id) => !before.has(id)).length + [...before].filter((id) => !after.has(id)).length;
      if (changed > 0) { tell(changed, next); return; }
    }
    dismiss("news");
    replace(next);
  };

  const rendered = document.getElementById("rendered");
  if (rendered && document.getElementById("clock")) showClock(rendered.textContent);
  localise(document);
  remember(document);
  offerCopies(document);
  if (!period) return;
  const wait = () => setTimeout(() => refresh().catch(() => {}).then(wait), period);
  wait();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
})();
