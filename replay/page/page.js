// The list of stops. Everything from a session is put in by textContent, so it is
// text whatever it says; the figures above are there without this script.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const pageSize = 50;
  const first = String(data.best); // the strategy that is chosen at first

  for (const r of data.rows) r.choices ??= [];
  const goesOn = (r, s) => r.choices[s].decision === "continue";
  // Whether the s-th strategy is wrong there; what only a model knows is not.
  const wrong = (r, s) => r.means !== "unknown" && (r.means === "continue") !== goesOn(r, s);
  // A point in mid-work is no stop, and shown only where it is asked for.
  const folded = (r) => r.label === "mid-work";
  // The rank of a row: what needs a look comes first.
  const rank = (r, s) => (r.choices[s] && wrong(r, s) ? 0 : r.choices.some((_, k) => goesOn(r, k) !== goesOn(r, 0)) ? 1 : 2);
  const hostOf = (r) => data.hosts[r.host ?? ""];

  // What is to be seen, kept in the address so that it survives a reload.
  const fields = ["q", "label", "project", "host", "strategy", "only"];
  const state = { q: "", label: "", project: "", host: "", strategy: first, only: "" };
  let found = [], here = 0, page = 0, opened = -1;

  const option = (select, value, name) => {
    const o = document.createElement("option");
    o.value = value;
    o.textContent = name;
    select.append(o);
  };
  for (const name of Object.keys(data.labels)) option($("label"), name, name === "mid-work" ? "mid-work (no stops)" : name);
  const projects = [...new Set(data.rows.map((r) => r.project))];
  for (const p of projects.sort()) option($("project"), "=" + p, p || "no directory");
  const hosts = Object.entries(data.hosts);
  for (const [name, h] of hosts) option($("host"), "=" + name, h.title);
  $("host").hidden = hosts.length < 2;
  data.scores.forEach((name, i) => option($("strategy"), String(i), name));

  const readHash = () => {
    const params = new URLSearchParams(location.hash.slice(1));
    for (const f of fields) state[f] = params.get(f) ?? (f === "strategy" ? first : "");
    for (const f of fields) {
      $(f).value = state[f];
      if ($(f).value !== state[f]) { $(f).value = state[f] = f === "strategy" ? first : ""; } // an address of another report
    }
  };
  const writeHash = () => {
    const params = new URLSearchParams();
    for (const f of fields) if (state[f] && !(f === "strategy" && state[f] === first)) params.set(f, state[f]);
    history.replaceState(null, "", params.size ? "#" + params : location.pathname + location.search);
  };

  const filter = () => {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const s = Number(state.strategy);
    found = [];
    data.rows.forEach((r, i) => {
      if (state.label ? r.label !== state.label : folded(r)) return;
      if (state.project && "=" + r.project !== state.project) return;
      if (state.host && "=" + (r.host ?? "") !== state.host) return;
      const c = r.choices[s];
      if (state.only === "differ") {
        if (!r.choices.some((_, k) => goesOn(r, k) !== goesOn(r, 0))) return;
      } else if (state.only === "asks") {
        if (!c?.asks || !data.labels[r.label]) return;
      } else if (state.only) {
        if (!c) return;
        if ((state.only === "continue" || state.only === "wrong") !== goesOn(r, s)) return;
        if ((state.only === "wrong" || state.only === "missed") && !wrong(r, s)) return;
      }
      if (words.length) {
        const hay = [r.text, r.next, r.file, c?.rule, c?.evidence].join("\n").toLowerCase();
        if (!words.every((w) => hay.includes(w))) return;
      }
      found.push(i);
    });
    found.sort((a, b) => rank(data.rows[a], s) - rank(data.rows[b], s));
    here = 0; page = 0; opened = -1;
    draw();
  };

  const element = (name, className, content) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (content !== undefined) e.textContent = content;
    return e;
  };
  const day = (at) => (at ? new Date(at).toISOString().slice(0, 16).replace("T", " ") : "");
  const span = (s) => (s < 90 ? Math.round(s) + " s" : s < 5400 ? Math.round(s / 60) + " min" : s < 129600 ? Math.round(s / 3600) + " h" : Math.round(s / 86400) + " days");
  // How a message ends: that is what strategies decide on.
  const tail = (s) => {
    const line = [...s.replace(/\s+/g, " ").trim()];
    return line.length > 90 ? "…" + line.slice(-90).join("") : line.join("") || "(nothing said)";
  };

  const detail = (r) => {
    const box = element("div", "open");
    box.append(element("h3", "", hostOf(r).agent + " said"), element("div", "said", r.text || "(nothing)"));
    if (r.next) box.append(element("h3", "", "What came next"), element("div", "said", r.next));
    const facts = element("dl");
    for (const [name, value] of [["where", r.file + ":" + r.line], ["project", r.project], ["host", hosts.length > 1 ? hostOf(r).title : ""], ["after", r.idle ? span(r.idle) : ""], ["todo list", r.todos], ["skill", r.skill], ["last tool", r.last_tool]]) {
      if (value) facts.append(element("dt", "", name), element("dd", "", value));
    }
    box.append(facts);
    const wide = element("div", "wide"), table = element("table"), head = element("thead"), body = element("tbody"), titles = element("tr");
    if (!r.choices.length) return box;
    for (const title of ["strategy", "decides", "by", "on"]) { const th = element("th", "", title); th.scope = "col"; titles.append(th); }
    head.append(titles);
    r.choices.forEach((c, s) => {
      const tr = element("tr"), name = element("th", "", data.scores[s]), on = goesOn(r, s);
      name.scope = "row";
      const known = r.means !== "unknown", bad = wrong(r, s);
      const verdict = element("td", known ? (bad ? "wrong" : "right") : "", on ? "continue" : c.asks ? "stop, after asking" : "stop");
      if (bad) verdict.append(on ? " (wrongly)" : " (too early)");
      let why = c.evidence ?? "";
      if (c.guard) why += " (" + "without " + c.guard + ": " + (c.alone === "continue" ? "continue" : "stop") + ")";
      if (c.asks) why += " (" + c.bytes + " bytes)";
      tr.append(name, verdict, element("td", "", c.rule), element("td", "words", why));
      body.append(tr);
    });
    table.append(head, body);
    wide.append(table);
    box.append(wide);
    return box;
  };

  const draw = () => {
    const list = $("rows"), start = page * pageSize, part = found.slice(start, start + pageSize);
    list.replaceChildren(...part.map((i, k) => {
      const r = data.rows[i], item = element("li", "row" + (start + k === here ? " here" : "")), button = element("button");
      button.type = "button";
      button.setAttribute("aria-expanded", String(opened === i));
      const time = element("time", "", day(r.at));
      const marks = element("span", "marks");
      if (r.choices.length) {
        marks.append(...data.scores.map((_, s) => element("span", wrong(r, s) ? "wrong" : "", goesOn(r, s) ? "▶" : "·")));
        marks.title = data.scores.map((name, s) => name + ": " + (goesOn(r, s) ? "continue" : "stop") + (wrong(r, s) ? " (wrong)" : "")).join(", ");
        marks.setAttribute("role", "img");
        marks.setAttribute("aria-label", marks.title);
      }
      button.append(element("span", "chip " + r.means, r.label), time, element("span", "excerpt", tail(r.text)), marks);
      button.addEventListener("click", () => { here = start + k; opened = opened === i ? -1 : i; draw(); focusHere(); });
      item.append(button);
      if (opened === i) item.append(detail(r));
      return item;
    }));
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    const open = state.label === "mid-work", between = data.rows.filter(folded).length, all = open ? between : data.rows.length - between;
    const rows = (n) => n + (open ? (n === 1 ? " point" : " points") + " in mid-work" : n === 1 ? " stop" : " stops");
    $("count").textContent = (found.length === all ? "" : found.length + " of ") + rows(all) + (between && !open ? "; " + between + (between === 1 ? " point in mid-work is" : " points in mid-work are") + " folded away" : "") + (found.length ? "." : ". D’oh! Nothing matches.");
    $("page").textContent = "page " + (page + 1) + " of " + pages;
    $("before").disabled = page === 0;
    $("after").disabled = page >= pages - 1;
    $("pager").hidden = pages < 2;
  };

  const focusHere = () => {
    const button = $("rows").children[here - page * pageSize]?.firstElementChild;
    if (button) { button.focus({ preventScroll: true }); button.parentElement.scrollIntoView({ block: "nearest" }); }
  };
  const move = (by) => {
    if (!found.length) return;
    here = Math.min(Math.max(here + by, 0), found.length - 1);
    page = Math.floor(here / pageSize);
    draw();
    focusHere();
  };
  const turn = (by) => { page += by; here = page * pageSize; opened = -1; draw(); focusHere(); };

  for (const f of fields) $(f).addEventListener("input", () => { state[f] = $(f).value; writeHash(); filter(); });
  $("filters").addEventListener("submit", (e) => e.preventDefault());
  $("before").addEventListener("click", () => turn(-1));
  $("after").addEventListener("click", () => turn(1));
  window.addEventListener("hashchange", () => { readHash(); filter(); });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === "Escape") {
      if (!$("help").hidden) $("help").hidden = true;
      else if (typing) e.target.blur();
      else if (opened >= 0) { opened = -1; draw(); focusHere(); }
      return;
    }
    if (typing) return;
    const inList = $("rows").contains(e.target) || e.target === document.body;
    switch (e.key) {
      case "/": $("q").focus(); $("q").select(); break;
      case "?": $("help").hidden = !$("help").hidden; break;
      case "j": move(1); break;
      case "k": move(-1); break;
      case "ArrowDown": if (!inList || e.target === document.body) return; move(1); break;
      case "ArrowUp": if (!inList || e.target === document.body) return; move(-1); break;
      case "o": if (found.length) { opened = opened === found[here] ? -1 : found[here]; draw(); focusHere(); } break;
      default: return;
    }
    e.preventDefault();
  });

  // The switch between light and dark; without a choice the system's is taken.
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  $("browse").hidden = false;
  readHash();
  filter();
})();
