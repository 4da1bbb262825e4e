// Why something is on the list, or why not.

import { asJson, ask } from "./asking.js";
import { amount, announce, button, byId, called, goTo, made, ordinal, show } from "./building.js";
import { certificate, hint, status } from "./certificate.js";
import { canTry, tryOut } from "./history.js";
import { markAsked } from "./list.js";
import { compare } from "./methods.js";
import { firmly, hasItem, isImagined, listed, person, places, proving, reasons, seen, titled, words } from "./seen.js";
import { only, stop } from "./waiting.js";

const TITLES = { joint: "What is enough and needed", factual: "What is enough for it", counterfactual: "What it hangs on", why_not: "What would bring it here" };

/** Back to where nothing is asked. */
export function closeWhy() {
  stop("why", "methods");
  Object.assign(seen, { item: null, whyNot: false });
  byId("why-title").textContent = "Why?";
  document.querySelector(".back").hidden = byId("firmness").hidden = true;
  show(byId("why-wait"));
  show(byId("answer"), made("p", "Press “Why?” beside something in the list. The answer is checked with the recommender itself before it is shown.", "quiet"));
}

/** Asks and shows. Something that is not on the real list is asked why not. With `stay` the focus is left where it is. */
export function askWhy(item, title = titled(item), stay = false) {
  const place = listed(item);
  stop("methods");
  Object.assign(seen, { item, title, whyNot: !place });
  markAsked();
  document.title = `${title}: why${place ? "" : " not"}? (${seen.user})`;
  byId("why-title").textContent = place ? `Why is ${title} here?` : `Why is ${title} not here?`;
  document.querySelector(".back").hidden = byId("firmness").hidden = false;
  show(byId("answer"));
  if (!stay) goTo(byId("why-title"));
  if (hasItem(item)) return show(byId("answer"), made("p", `${person.first} ${words.did} ${title} already. What is in the history is not recommended again.`));
  const goals = place ? reasons() : ["why_not"];
  return only("why", {
    place: byId("answer"), sign: byId("why-wait"), words: "Asking the recommender",
    complain: (complaint) => show(byId("answer"), complaint),
    work: async (signal, note) => {
      const told = worthTelling(await asJson("api/explanations", { body: { user: seen.user, items: [item], k: places(), goals, firm: firmly(), prove: proving() }, signal, note }));
      tell(told.map(({ one }) => one), goals);
      // The words first; a picture that is lost meanwhile is no reason to complain.
      await Promise.all(told.map(({ id, one }, at) => picture(id, one, byId("answer").querySelectorAll("article")[at], signal)));
    },
  });
}

/** Where nothing is enough and needed at once, the others say why, unless its parts tell more. */
const worthTelling = ({ ids, explanations }) => explanations.map((one, at) => ({ one, id: ids[at] }))
  .filter(({ one }) => one.goal !== "joint" || one.status !== "not_found" || one.instead?.question === "parts");

function tell(explanations, goals) {
  const first = explanations[0];
  const title = first.item_title ?? first.item;
  const parts = [];
  const note = made("p", "This is about the real history, not the one you are trying.", "note");
  note.hidden = !isImagined();
  parts.push(note);
  parts.push(strength(first));
  parts.push(...explanations.map((one) => card(one)));
  const [methods, sign] = [made("div"), made("div", null, "wait")];
  const press = button("Compare methods", () => { compare(first.item, goals, methods, sign); });
  press.id = "compare";
  parts.push(made("div", null, "actions", press), sign, methods);
  show(byId("answer"), ...parts);
  byId("why-title").textContent = goals[0] === "why_not" ? `Why is ${title} not here?` : `Why is ${title} here?`;
  document.title = `${title}: why${goals[0] === "why_not" ? " not" : ""}? (${seen.user})`;
  announce(explanations.map((one) => one.sentence).join(" "));
  // With the answer below it there is room to bring the heading up.
  if (document.activeElement === byId("why-title")) goTo(byId("why-title"));
}

/** How firmly it holds its place, beside the first on the list. */
function strength(one) {
  const margin = one.margin_before;
  const where = made("p", null, "where", made("strong", `${ordinal(one.rank_before)} place`), ` of ${one.k}`);
  if (one.rank_before > one.k) where.lastChild.textContent = `, and the list has ${one.k}`;
  const box = made("div", null, "strength", where);
  if (margin === null) {
    box.append(made("p", "Nothing competes for its place: there are more places than there is to fill them."));
    return box;
  }
  if (one.rank_before > one.k) {
    box.append(made("p", `It misses the list by ${amount(margin)}. At zero it would be on it.`));
    return box;
  }
  const [top, own] = [seen.list.before[0], listed(one.item)];
  const most = Math.max(margin, margin + (top && own ? top.score_before - own.score_before : 0));
  const share = most > 0 ? margin / most : 0;
  const meter = made("meter");
  Object.assign(meter, { min: 0, max: most || 1, value: margin });
  meter.setAttribute("aria-label", "Strength");
  const firmly = share > 0.6 ? "firmly" : share > 0.25 ? "" : share > 0.08 ? "narrowly" : "only just";
  const beside = one.rank_before === 1 ? ", more than any other on the list" : `; the first on the list by ${amount(most)}`;
  box.append(meter, made("p", null, "", `Holds its place ${firmly ? `${firmly}, ` : ""}by `, made("strong", amount(margin)), `${beside}. At zero it would be out of the list.`));
  return box;
}

function card(one) {
  const parts = [made("h3", TITLES[one.goal]), status(one), made("blockquote", one.sentence, one.edges.length ? "" : "unfound")];
  const named = edges(one);
  const more = one.status === "not_found" && hint(one);
  if (more) parts.push(made("p", more, "quiet"));
  if (one.goal === "counterfactual") parts.push(...replacement(one));
  const tried = named.filter(canTry);
  // What is taken off keeps the profile: by the history alone the list would be another.
  const changed = one.instead?.question === "history_alone" ? [] : named.filter((edge) => edge.change !== "kept");
  if (changed.length && changed.every(canTry)) {
    parts.push(made("div", null, "actions", button("Try it", () => tryAndLook(changed, true), `Try it: ${changed.map(called).join(", ")} ${one.goal === "why_not" ? "changed" : "taken off"}`, "main")));
  }
  if (named.length > 1 || (tried.length && !changed.length)) parts.push(cited(named, tried));
  parts.push(made("figure"), certificate(one, null));
  return made("article", null, "", ...parts);
}

/** What is named, or else what is named instead: each item once, first as what it hangs on. */
function edges(one) {
  const all = one.instead?.edges ?? one.edges;
  return all.filter((edge, at) => at === all.findIndex(({ item, user }) => item === edge.item && user === edge.user));
}

function replacement(one) {
  if (one.status !== "verified") return [];
  const other = one.replaced_by_title ?? one.replaced_by;
  if (!other) return [made("p", "Nothing new would come in its place.", "instead")];
  const drop = one.rank_after ? ` ${called({ title: one.item_title, item: one.item })} would be ${ordinal(one.rank_after)}.` : "";
  return [made("p", null, "instead", "In its place would be ", made("strong", other), `.${drop}`)];
}

/** Each thing named, with a way to try the list without it. */
function cited(named, tried) {
  const list = made("ul", null, "cited");
  list.setAttribute("aria-label", "Named in the sentence");
  for (const edge of named) {
    const isAdded = edge.change === "added";
    const line = made("li", null, "", made("span", edge.user === seen.user ? called(edge) : `${called(edge)} (${edge.user})`, "name"));
    const text = isAdded ? "Try with it" : "Try without it";
    if (tried.includes(edge)) line.append(button(text, () => tryAndLook([edge], false), `Try ${isAdded ? "with" : "without"} ${called(edge)}`));
    list.append(line);
  }
  return list;
}

function tryAndLook(edges, alone) {
  tryOut(edges, alone);
  // Where the list is out of sight one is taken to it.
  const { top, bottom } = byId("items").getBoundingClientRect();
  if (bottom < 80 || top > innerHeight - 80) goTo(byId("list-title"));
}

async function picture(id, one, article, signal) {
  const named = edges(one);
  if (!named.length) return;
  const svg = await ask(`api/explanations/${encodeURIComponent(id)}.svg`, { signal, accept: "image/svg+xml" }).then((answer) => answer.text()).catch(() => null);
  if (!svg || signal.aborted) return;
  const image = made("img");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  image.alt = `A drawing of the sentence above: how ${named.map(called).join(", ")} ${named.length > 1 ? "lead" : "leads"} to ${one.item_title ?? one.item}.`;
  article.querySelector("figure").append(image);
  article.querySelector("details").replaceWith(certificate(one, () => svg));
}
