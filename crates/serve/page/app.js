// The page: it asks the API and shows what comes. Everything from the data is set as text, never as markup.
const byId = (id) => document.getElementById(id);
const state = { model: null, user: null, history: [], removed: new Set(), added: new Map(), list: null, item: null, whyNot: false };

// --- asking ------------------------------------------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

async function ask(path, body, signal, tries = 3) {
  const headers = { Accept: "application/json" };
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  if (response.status === 401 && await wantToken()) return ask(path, body, signal);
  if (response.status === 503 && tries > 0) {
    // Busy: once more in a moment, unless the person has moved on.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    signal?.throwIfAborted();
    return ask(path, body, signal, tries - 1);
  }
  if (!response.ok) {
    const said = await response.json().catch(() => null);
    throw new Refused(response.status, said?.error?.message ?? `The server answered with ${response.status}.`);
  }
  return response;
}

const asJson = async (...asked) => (await ask(...asked)).json();

function wantToken() {
  const dialog = byId("token");
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    sessionStorage.setItem("token", byId("secret").value);
    resolve(byId("secret").value !== "");
  }, { once: true }));
}

// One thing of a kind at a time: what is asked next cancels what was asked before.
const running = {};
async function only(kind, panel, work, complaints = panel ?? byId("answer")) {
  running[kind]?.abort();
  const controller = running[kind] = new AbortController();
  panel?.setAttribute("aria-busy", "true");
  try {
    await work(controller.signal);
  } catch (error) {
    if (error.name !== "AbortError") show(complaints, said("span", error.message, "error"));
  } finally {
    if (running[kind] === controller) panel?.removeAttribute("aria-busy");
  }
}

// --- building ----------------------------------------------------------------------------------------------------------

function said(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function show(parent, ...children) { parent.replaceChildren(...children); }

function button(text, press, label) {
  const made = said("button", text);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", press);
  return made;
}

const called = (thing) => thing.title ?? thing.item;

// A field that shows what is found as one types; each find is a button.
function searching(field, results, path, name, choose) {
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => only(path, null, async (signal) => {
      const query = field.value.trim();
      if (!query) return show(results);
      const found = await asJson(`${path}?limit=8&query=${encodeURIComponent(query)}`, null, signal);
      const all = found.users ?? found.items;
      if (!all.length) return show(results, said("li", "Nothing was found.", "quiet"));
      show(results, ...all.map((one) => {
        const entry = said("li");
        entry.append(button(name(one), () => { show(results); field.value = ""; choose(one); }));
        return entry;
      }));
    }).catch(() => {}), 120);
  });
}

// --- the list and the sandbox --------------------------------------------------------------------------------------------

const k = () => Math.max(1, Math.min(100, Number(byId("k").value) || 10));

function open(user, keep) {
  return only("list", byId("list"), async (signal) => {
    const person = await asJson(`/api/users/${encodeURIComponent(user)}`, null, signal);
    Object.assign(state, { user: person.id, history: person.history });
    if (!keep) Object.assign(state, { removed: new Set(), added: new Map(), item: null });
    byId("person").value = person.id;
    byId("sandbox").hidden = byId("missing").hidden = false;
    drawHistory();
    await imagine(signal);
    remember();
  }, byId("state"));
}

async function imagine(signal) {
  const change = { user: state.user, remove: [...state.removed], add: [...state.added.keys()], k: k() };
  state.list = await asJson("/api/what-if", change, signal);
  drawList();
}

function change() {
  drawHistory();
  remember();
  only("list", byId("items"), imagine, byId("state"));
}

function drawHistory() {
  const entry = (thing, isAdded) => {
    const line = said("li");
    const label = said("label");
    const box = said("input");
    box.type = "checkbox";
    box.checked = isAdded || !state.removed.has(thing.item);
    box.addEventListener("change", () => {
      if (isAdded) state.added.delete(thing.item);
      else if (box.checked) state.removed.delete(thing.item);
      else state.removed.add(thing.item);
      change();
    });
    const name = said("span", called(thing), isAdded ? "added" : box.checked ? "" : "off");
    label.append(box, name);
    line.append(label);
    return line;
  };
  show(byId("history"), ...[...state.added.values()].map((thing) => entry(thing, true)), ...state.history.map((thing) => entry(thing, false)));
  byId("reset").hidden = !state.removed.size && !state.added.size;
}

function drawList() {
  const { before, after } = state.list;
  const changed = state.removed.size || state.added.size;
  byId("state").textContent = !after.length
    ? "There is nothing to recommend."
    : changed ? `What ${state.user} would be recommended then:` : `What ${state.user} is recommended:`;
  const left = new Set(after.map((one) => one.item));
  const gone = before.filter((one) => !left.has(one.item));
  show(byId("items"), ...after.map((one) => {
    const line = said("li");
    line.append(said("span", `${one.rank_after}.`, "rank"), said("span", called(one), "name"));
    const marker = moved(one, before.length);
    if (marker) line.append(marker);
    line.append(button("Why?", () => why(one.item, false), `Why is ${called(one)} here?`));
    return line;
  }), ...gone.map((one) => {
    const line = said("li");
    line.append(said("span", "", "rank"), said("span", called(one), "name quiet"), said("span", one.rank_after ? `gone, to place ${one.rank_after}` : "now in the history", "moved down"));
    return line;
  }));
}

function moved(one, length) {
  const [was, now] = [one.rank_before, one.rank_after];
  if (was === now) return null;
  if (was === null || was > length) return said("span", "new", "moved up");
  return was > now ? said("span", `▲ from ${was}`, "moved up") : said("span", `▼ from ${was}`, "moved down");
}

// --- why -----------------------------------------------------------------------------------------------------------------

function why(item, whyNot) {
  Object.assign(state, { item, whyNot });
  remember();
  const panel = byId("answer");
  show(panel, said("p", "Asking the recommender …", "quiet"));
  return only("why", panel, async (signal) => {
    const goals = whyNot ? ["why_not"] : ["factual", "counterfactual"];
    const told = await asJson("/api/explanations", { user: state.user, items: [item], k: k(), goals }, signal);
    const pictures = await Promise.all(told.ids.map(async (id) => (await ask(`/api/explanations/${id}.svg`, null, signal)).text()));
    const first = told.explanations[0];
    const parts = [said("h3", `${first.item_title ?? first.item}, place ${first.rank_before}`)];
    if (state.removed.size || state.added.size) parts.push(said("p", "This is about the real history, not the imagined one.", "quiet"));
    told.explanations.forEach((one, at) => {
      parts.push(said("blockquote", one.sentence, one.edges.length ? "" : "unfound"));
      if (one.edges.length) {
        const picture = said("img");
        picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictures[at])}`;
        picture.alt = one.sentence;
        parts.push(picture);
      }
      parts.push(proof(one, pictures[at]));
    });
    const compare = said("div");
    if (!whyNot) parts.push(button("Compare methods", () => comparing(item, compare)), compare);
    show(panel, ...parts);
    byId("why").scrollIntoView({ block: "nearest" });
  });
}

function proof(one, svg) {
  const fold = said("details");
  fold.append(said("summary", one.status === "verified" ? "Checked with the recommender itself" : "How this was looked for"));
  const rows = [
    ["status", one.status], ["place now", one.rank_before], ["place then", one.rank_after ?? "–"],
    ["lead now", one.margin_before?.toFixed(4) ?? "–"], ["lead then", one.margin_after?.toFixed(4) ?? "–"],
    ["instead", one.replaced_by_title ?? one.replaced_by ?? "–"], ["none can be spared", one.minimal ?? "–"],
    ["questions asked", one.queries], ["method", one.method], ["model", one.model.slice(0, 12)], ["data", one.data.slice(0, 12)],
  ];
  const table = said("table");
  for (const [name, value] of rows) {
    const row = said("tr");
    const head = said("th", name);
    head.scope = "row";
    row.append(head, said("td", String(value)));
    table.append(row);
  }
  const actions = said("div", undefined, "actions");
  const copy = (text, label) => button(`Copy ${label}`, async (event) => {
    await navigator.clipboard.writeText(text);
    event.target.textContent = "Copied";
  });
  actions.append(copy(one.sentence, "text"), copy(JSON.stringify(one, null, 2), "JSON"), copy(svg, "SVG"));
  fold.append(table, actions);
  return fold;
}

function comparing(item, place) {
  const methods = state.model.methods.filter((method) => !["exact", "paper"].includes(method));
  return only("compare", place, async (signal) => {
    const told = await Promise.all(methods.map((method) =>
      asJson("/api/explanations", { user: state.user, items: [item], k: k(), method }, signal)));
    const table = said("table");
    const head = said("tr");
    for (const name of ["method", "goal", "names", "place then", "questions"]) head.append(said("th", name));
    table.append(head);
    told.forEach((answer, at) => answer.explanations.forEach((one) => {
      const row = said("tr");
      const names = one.edges.map((edge) => edge.title ?? edge.item).join(", ");
      for (const cell of [methods[at], one.goal, names || one.status.replace("_", " "), one.rank_after ?? "–", one.queries]) row.append(said("td", String(cell)));
      table.append(row);
    }));
    show(place, table);
  });
}

// --- a link to what is seen ------------------------------------------------------------------------------------------------

function remember() {
  const link = new URLSearchParams({ user: state.user ?? "", k: String(k()) });
  state.removed.forEach((item) => link.append("remove", item));
  state.added.forEach((_, item) => link.append("add", item));
  if (state.item) link.set(state.whyNot ? "why_not" : "why", state.item);
  history.replaceState(null, "", `#${link}`);
}

async function recall() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (link.get("k")) byId("k").value = link.get("k");
  if (!link.get("user")) return;
  state.removed = new Set(link.getAll("remove"));
  state.added = new Map(link.getAll("add").map((item) => [item, { item, title: null }]));
  await open(link.get("user"), true);
  const item = link.get("why") ?? link.get("why_not");
  if (item && state.user) await why(item, link.has("why_not"));
}

// --- beginning -------------------------------------------------------------------------------------------------------------

searching(byId("person"), byId("people"), "/api/users", (one) => `${one.id} (${one.interactions})`, (one) => open(one.id));
searching(byId("add"), byId("found"), "/api/items", called, (one) => {
  if (state.history.some((own) => own.item === one.item)) state.removed.delete(one.item);
  else state.added.set(one.item, one);
  change();
});
searching(byId("why-not"), byId("absent"), "/api/items", called, (one) => {
  const listed = state.list?.before.some((own) => own.item === one.item);
  why(one.item, !listed);
});
byId("who").addEventListener("submit", (event) => { event.preventDefault(); show(byId("people")); open(byId("person").value.trim()); });
for (const form of ["adding", "missing", "length"]) byId(form).addEventListener("submit", (event) => event.preventDefault());
byId("k").addEventListener("change", () => state.user && change());
byId("reset").addEventListener("click", () => { state.removed.clear(); state.added.clear(); change(); });

only("model", null, async (signal) => {
  state.model = await asJson("/api/model", null, signal);
  const { kind, users, items, interactions, words } = state.model;
  byId("about").textContent = `${kind}: ${users} people, ${items} ${words.items}, ${interactions} times somebody ${words.did} one`;
  if (!state.model.user_search) byId("person").placeholder = "an id";
  await recall();
});
