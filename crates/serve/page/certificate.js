// What stands behind an explanation: its status in words, and the certificate to fold out.

import { made } from "./building.js";
import { copying } from "./copying.js";
import { words } from "./seen.js";

const STATUS = {
  verified: ["✓", "Checked with the recommender itself", "good"],
  trivial: ["✓", "Checked: it holds with nothing put back", "good"],
  unverified: ["?", "A guess: the recommender could not be asked", "open"],
  refuted: ["✗", "Checked, and wrong: the recommender says otherwise", "bad"],
  not_found: ["–", "Looked for, and not found", "open"],
  instead: ["–", "Not found as asked; what is told instead was checked with the recommender itself", "open"],
};

/** A short line: how sure this is. */
export function status(one) {
  const [sign, text, kind] = STATUS[one.instead ? "instead" : one.status] ?? ["", one.status, "open"];
  const mark = made("span", sign, "sign");
  mark.setAttribute("aria-hidden", "true");
  return made("p", null, `status ${kind}`, mark, text);
}

const number = (value, digits) => value === null || value === undefined ? null : value.toFixed(digits);

const SMALLER = { proved: "none does it: proved", searched: "none was found" };

const WEAKER = { history_alone: "going by the history alone", many: "with more than may be named at once", parts: "what is enough and what is needed, each by itself" };

/** The certificate; `svg` gives the picture where there is one. */
export function certificate(one, svg) {
  const isFactual = one.goal === "factual";
  const rows = [
    ["Status", one.status.replace("_", " ")],
    ["Why none was found", one.reason?.replace(/^[a-z_]+: /, "")],
    ["Place now", one.rank_before],
    ["Places beyond the edge asked for", one.firm],
    [isFactual ? "Place with these alone" : "Place then", one.rank_after],
    ["Checked instead", WEAKER[one.instead?.question]],
    [one.instead?.edges.every((edge) => edge.change === "kept") ? "Place with these alone" : "Place without", one.instead?.rank_after],
    ["Place with these alone", one.alone?.rank],
    ["Lead now", number(one.margin_before, 4)],
    [isFactual ? "Lead with these alone" : "Lead then", number(one.margin_after, 4)],
    ["Would take its place", one.replaced_by_title ?? one.replaced_by],
    ["None can be spared", one.minimal === null ? null : one.minimal ? "yes, each is needed" : "no, one is superfluous"],
    ["A smaller set", one.edges.length > 1 ? SMALLER[one.minimum] : null],
    ["Carried by the learned profile", one.profile_share === null ? null : `${Math.round(one.profile_share * 100)} % of the score`],
    ["Profile", one.profile === "neutral" ? "set aside" : "kept as it is"],
    ["Questions asked", number(Math.ceil(one.queries), 0)],
    ["Method", one.method],
    ["Seed", one.seed],
    ["Model", one.model], ["Data", one.data],
  ];
  const body = made("tbody");
  for (const [name, value] of rows) {
    if (value === null || value === undefined) continue;
    const head = made("th", name);
    head.scope = "row";
    body.append(made("tr", null, "", head, made("td", String(value), ["Model", "Data"].includes(name) ? "hash" : "")));
  }
  const claims = Boolean(one.instead) || ["verified", "trivial", "refuted"].includes(one.status);
  const lead = made("p", `The lead is how far its score is above the best that is not on a list of ${one.k}; below zero it is off the list.`, "quiet");
  const again = made("p", null, "quiet", "To check it again, save the JSON as why.jsonl and run ", made("code", "grease verify --model DIR why.jsonl"), ".");
  const actions = made("div", null, "actions",
    copying("Copy text", "Text", () => one.sentence),
    copying("Copy JSON", "JSON", () => `${JSON.stringify(one)}\n`));
  if (svg) actions.append(copying("Copy SVG", "Picture", svg));
  return made("details", null, "", made("summary", claims ? "The certificate" : "How it was looked for"), made("table", null, "", body), lead, ...claims ? [again] : [], actions);
}

// The sentence says why; this is what one can do then.
const HINTS = {
  carried_by_profile: () => "Take things off in the history to see it for yourself.",
  no_history: () => `Add ${words.anItem} to the history to try what would change.`,
  fewer_candidates_than_places: () => "Ask for a shorter list to make the question sensible.",
};

/** What to do where nothing was found. */
export const hint = (one) => HINTS[one.reason?.split(":")[0]]?.();
