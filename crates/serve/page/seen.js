// What is seen now: whose list, what is imagined about it, and what is asked about.

import { byId, called } from "./building.js";

export const seen = {
  model: null, user: null, history: [], removed: new Set(), added: new Map(),
  list: null, item: null, title: null, whyNot: false, because: new Map(),
};

/** The length of the list: what the field says, within what the service allows. */
export function places() {
  const most = seen.model?.limits.k ?? 100;
  return Math.max(1, Math.min(most, Math.round(Number(byId("k").value)) || 10));
}

const PROVE = 40000;
/** Edits tried for a list to prove that nothing smaller does it, within what the service allows. */
export const proving = () => Math.min(PROVE, seen.model.limits.prove);

/** How many places beyond the edge of the list an answer has to reach. */
export const firmly = () => Math.max(1, Math.min(places(), Math.round(Number(byId("firm").value)) || 1));

/** What is asked of something on the list. What is enough and needed at once can only be told where the profile can be set aside. */
export const reasons = () => [...seen.model.verified && seen.model.abilities.neutral ? ["joint"] : [], "factual", "counterfactual"];

export const isImagined = () => seen.removed.size + seen.added.size > 0;

/** Whoever has a signed link is at their own page, and is spoken to. */
const isOwn = () => seen.model.person === seen.user;
export const person = {
  get name() { return isOwn() ? "you" : seen.user; },
  get first() { return isOwn() ? "You" : seen.user; },
  get is() { return isOwn() ? "you are" : `${seen.user} is`; },
};

export const hasItem = (item) => seen.history.some((own) => own.item === item);

/** Where it stands on the real list, if it is there. */
export const listed = (item) => seen.list?.before.find((one) => one.item === item);

/** Its title as far as the page knows it. */
export function titled(item) {
  const all = [...seen.list?.before ?? [], ...seen.list?.after ?? [], ...seen.history, ...seen.added.values()];
  const known = all.find((one) => one.item === item);
  return known ? called(known) : item === seen.item ? seen.title : item;
}

/** The domain's words, with what grammar wants around them. */
export const words = {
  get did() { return seen.model.words.did; },
  get item() { return seen.model.words.item; },
  get items() { return seen.model.words.items; },
  get people() { return seen.model.words.person === "person" ? "people" : `${seen.model.words.person}s`; },
  get anItem() { return `${/^[aeiou]/i.test(this.item) ? "an" : "a"} ${this.item}`; },
};
