// The address is a link to what is seen.

import { firmly, places, seen } from "./seen.js";

let pass = null;

/** What the address asks for; `null` where it asks for nothing. */
export function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  pass = link.get("pass") ?? pass;
  return {
    pass,
    user: link.get("user") || null,
    k: link.get("k"), firm: link.get("firm"),
    remove: link.getAll("remove"), add: link.getAll("add"),
    item: link.get("why") ?? link.get("why_not"),
  };
}

/** Writes what is seen into the address; a new person or question is a step that Back takes back. */
export function writeLink() {
  const link = new URLSearchParams({ user: seen.user, k: String(places()) });
  seen.removed.forEach((item) => link.append("remove", item));
  seen.added.forEach((_, item) => link.append("add", item));
  if (firmly() > 1) link.set("firm", String(firmly()));
  if (seen.item) link.set(seen.whyNot ? "why_not" : "why", seen.item);
  if (pass) link.set("pass", pass);
  if (location.hash === `#${link}`) return;
  const step = (hash) => { const old = new URLSearchParams(hash); return [old.get("user"), old.get("why"), old.get("why_not")].join("\n"); };
  const isStep = location.hash.includes("user=") && step(location.hash.slice(1)) !== step(String(link));
  history[isStep ? "pushState" : "replaceState"](null, "", `#${link}`);
}

/** Whoever has the link has the pass in it. */
export const linkCarriesPass = () => pass !== null;
