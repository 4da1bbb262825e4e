// The page: whose list, what is imagined about it, and why each item is there.

import { asJson, carry } from "./page/asking.js";
import { announce, button, byId, called, counted, goTo, made, show } from "./page/building.js";
import { copy } from "./page/copying.js";
import { add, drawHistory, onChange, reset } from "./page/history.js";
import { linkCarriesPass, readLink, writeLink } from "./page/link.js";
import { drawList, imagine } from "./page/list.js";
import { askRests, forgetRests } from "./page/rests.js";
import { searching } from "./page/searching.js";
import { firmly, hasItem, listed, places, seen, words } from "./page/seen.js";
import { only, stop } from "./page/waiting.js";
import { explainAll } from "./page/whole.js";
import { askWhy, closeWhy } from "./page/why.js";

const HOME = document.title;

// --- whose list ----------------------------------------------------------------------------------------------------------

/** Opens somebody's list, as the link has it where one is given. */
function open(user, link) {
  stop("why", "methods", "whole", "rests");
  forgetRests();
  return only("list", {
    place: byId("items"), sign: byId("list-wait"), words: `Asking for ${user}’s list`,
    complain: (complaint, error) => { forget(); show(byId("state"), ...refusal(user, complaint, error)); },
    work: async (signal, note) => {
      const person = await asJson(`api/users/${encodeURIComponent(user)}`, { signal, note });
      closeWhy();
      Object.assign(seen, { user: person.id, history: person.history, removed: new Set(), added: new Map(), list: null });
      seen.because.clear();
      byId("filter").value = "";
      const lost = link ? await restore(link, signal) : 0;
      if (byId("person").value !== person.id) byId("person").value = person.id;
      byId("people").classList.remove("open");
      document.title = `${seen.user} – ${HOME}`;
      byId("sandbox").hidden = byId("missing").hidden = byId("share").hidden = false;
      drawHistory();
      await imagine(signal, note);
      draw();
      if (lost) byId("state").append(made("p", `${counted(lost, "thing", "things")} in this link ${lost === 1 ? "is" : "are"} no longer there and left out.`, "quiet"));
      if (link?.item) await askFromLink(link.item, signal);
      writeLink();
    },
  });
}

/** Brings back what the link imagines; says how much of it is not there any more. */
async function restore(link, signal) {
  const removed = link.remove.filter(hasItem);
  const found = await Promise.all(link.add.filter((item) => !hasItem(item)).map((item) => named(item, signal)));
  seen.removed = new Set(removed);
  seen.added = new Map(found.filter(Boolean).map((thing) => [thing.item, thing]));
  return link.remove.length + link.add.length - seen.removed.size - seen.added.size;
}

/** An item by its id, with its title; `null` where there is none. */
async function named(item, signal) {
  const { items, all } = await asJson(`api/items?limit=200&query=${encodeURIComponent(item)}`, { signal });
  return items.find((one) => one.item === item) ?? (all > items.length ? { item, title: null } : null);
}

async function askFromLink(item, signal) {
  const thing = listed(item) ?? await named(item, signal);
  if (thing) return void askWhy(item, called(thing));
  show(byId("answer"), made("p", `The link asks about “${item}”, which is not here any more.`));
}

/** Nobody is shown: what was there would be taken for theirs. */
function forget() {
  closeWhy();
  Object.assign(seen, { user: null, history: [], list: null, removed: new Set(), added: new Map() });
  for (const id of ["items", "gone"]) show(byId(id));
  for (const id of ["sandbox", "missing", "share", "left", "explain-all", "rests-on"]) byId(id).hidden = true;
  document.title = HOME;
}

function refusal(user, complaint, error) {
  if (error?.code === "unknown") {
    const like = error.near.map((id) => button(`Show ${id}`, () => open(id)));
    return [made("p", `Nobody here has the id “${user}”.`, "error"), made("p", "Ids are written exactly, capital letters too.", "quiet"), ...like.length ? [made("p", "Did you mean one of these?"), made("div", null, "actions", ...like)] : []];
  }
  const own = seen.model?.person;
  if (error?.code === "not_yours" && own) return [complaint, button(`Show ${own}’s list`, () => open(own))];
  return [complaint];
}

// --- the list and what is imagined -----------------------------------------------------------------------------------------

const pressWhy = (item) => { askWhy(item); writeLink(); };
const draw = () => drawList(pressWhy);

let soon;
/** The list again: a little later, so that three quick ticks are one question. */
function rerank(then) {
  writeLink();
  stop("whole", "rests");
  forgetRests();
  clearTimeout(soon);
  const user = seen.user;
  soon = setTimeout(() => user === seen.user && only("list", {
    place: byId("items"), sign: byId("list-wait"), words: "Ranking again",
    complain: (complaint) => show(byId("state"), complaint),
    work: async (signal, note) => { await imagine(signal, note); draw(); then?.(); },
  }), 80);
}

onChange(() => rerank());
byId("reset").addEventListener("click", () => { reset(); goTo(byId("list-title")); });
byId("k").addEventListener("change", () => {
  byId("k").value = places();
  byId("firm").value = firmly();
  if (!seen.user) return;
  seen.because.clear();
  byId("all-progress").textContent = "";
  // The answer was about a list of another length.
  rerank(() => { if (seen.item) { askWhy(seen.item, undefined, true); writeLink(); } });
});
byId("firm").addEventListener("change", () => {
  byId("firm").value = firmly();
  if (!seen.item) return;
  askWhy(seen.item, undefined, true);
  writeLink();
});
byId("explain-all").addEventListener("click", explainAll);
byId("rests-on").addEventListener("click", askRests);

// --- searching -------------------------------------------------------------------------------------------------------------

const ITEMS_SHOWN = 8;
async function findItems(query, signal, note) {
  const { items, all } = await asJson(`api/items?limit=${ITEMS_SHOWN}&query=${encodeURIComponent(query)}`, { signal, note });
  return { found: items, all };
}
const nothing = (query) => query ? `No ${words.item} here has “${query}” in its name.` : `There are no ${words.items} here.`;

/** With nothing typed: what just missed the list, as that is what one wonders about. */
async function findAbsent(query, signal, note) {
  if (query) return findItems(query, signal, note);
  const [length, most] = [places(), seen.model.limits.k];
  const told = await asJson(`api/users/${encodeURIComponent(seen.user)}/recommendations?k=${Math.min(length + 6, most)}`, { signal, note });
  const found = told.recommendations.slice(length);
  return found.length ? { found, all: found.length, hint: "Just missed the list:" } : findItems(query, signal, note);
}

function wireSearches() {
  searching(byId("add"), byId("found"), {
    find: findItems, name: called, nobody: nothing,
    beside: (one) => hasItem(one.item) && !seen.removed.has(one.item) ? "already there" : "",
    choose: (one) => { byId("add").value = ""; add(one); announce(`${called(one)} added.`); },
  });
  searching(byId("why-not"), byId("absent"), {
    find: findAbsent, name: called, nobody: nothing,
    beside: (one) => { const place = listed(one.item); return place ? `place ${place.rank_before}` : hasItem(one.item) ? "in the history" : ""; },
    choose: (one) => { byId("why-not").value = ""; askWhy(one.item, called(one)); writeLink(); },
  });
  if (!seen.model.user_search) return { look: () => {}, close: () => {} };
  return searching(byId("person"), byId("people"), {
    find: async (query, signal, note) => {
      const { users, all } = await asJson(`api/users?limit=8&query=${encodeURIComponent(query)}`, { signal, note });
      return { found: users, all };
    },
    name: (one) => one.id, beside: (one) => counted(one.interactions, words.item, words.items),
    nobody: (query) => query ? `Nobody here has “${query}” in their id.` : "There is nobody here.",
    choose: (one) => open(one.id),
  });
}

// --- beginning -------------------------------------------------------------------------------------------------------------

function introduce() {
  const { kind, users, items, interactions, user_search, person, limits } = seen.model;
  byId("about").textContent = `${kind}: ${counted(users, seen.model.words.person, words.people)}, ${counted(items, words.item, words.items)}, ${counted(interactions, "interaction", "interactions")}`;
  byId("k").max = limits.k;
  document.querySelector("[for=add]").textContent = `Add ${words.anItem}`;
  document.querySelector("[for=why-not]").textContent = `Why is some other ${words.item} not here?`;
  if (person) {
    byId("who").hidden = true;
    byId("for").hidden = false;
    show(byId("for"), "This page is for ", made("strong", person), ".");
  } else if (!user_search) {
    byId("person").placeholder = "the id, exactly";
    show(byId("state"), "Type somebody’s id first.");
  }
}

/** Shows what the address asks for. */
function follow(people) {
  const link = readLink();
  carry(link.pass);
  if (link.k) { byId("k").value = link.k; byId("k").value = places(); }
  byId("firm").value = link.firm ?? 1;
  byId("firm").value = firmly();
  const user = link.user ?? seen.model.person;
  if (user) return open(user, link);
  forget();
  show(byId("state"), seen.model.user_search ? "Choose somebody first." : "Type somebody’s id first.");
  byId("people").classList.add("open");
  return people.look();
}

function begin() {
  carry(readLink().pass);
  return only("list", {
    place: byId("items"), sign: byId("list-wait"), words: "Asking what is served here",
    complain: (complaint) => {
      // A link that opens nothing leaves nothing to do here.
      if (readLink().pass) byId("who").hidden = byId("length").hidden = true;
      show(byId("state"), complaint);
    },
    work: async (signal, note) => {
      const isFirst = !seen.model;
      seen.model = await asJson("api/model", { signal, note });
      introduce();
      if (!isFirst) return;
      const people = wireSearches();
      const pass = readLink().pass;
      // Another pass is another page.
      addEventListener("hashchange", () => readLink().pass === pass ? follow(people) : location.reload());
      byId("who").addEventListener("submit", (event) => {
        event.preventDefault();
        const id = byId("person").value.trim();
        people.close();
        if (id) open(id); else byId("person").focus();
      });
      // Not awaited: it is a thing of the same kind, and takes this one's place.
      setTimeout(() => follow(people));
    },
  });
}

for (const form of ["who", "adding", "missing", "length", "firmness"]) byId(form).addEventListener("submit", (event) => event.preventDefault());
// The hash is the link, so the ways within the page do not go through it.
for (const way of document.querySelectorAll("a[href^='#']")) {
  way.addEventListener("click", (event) => {
    event.preventDefault();
    const asked = way.className === "back" && document.querySelector("#items .asked button");
    if (asked) asked.focus(); else goTo(byId(way.hash.slice(1)));
  });
}
byId("share").addEventListener("click", async (event) => {
  writeLink();
  await copy(location.href, event.currentTarget, linkCarriesPass() ? "Link with your pass in it" : "Link");
});
begin();
