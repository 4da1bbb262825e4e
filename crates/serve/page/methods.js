// What each method names for the same item, side by side.

import { asJson } from "./asking.js";
import { announce, called, made, show } from "./building.js";
import { firmly, places, seen } from "./seen.js";
import { only } from "./waiting.js";

// Those left out either search without limit or show what goes unchecked.
const SHOWN = (method) => !["exact", "paper"].includes(method);
const GOALS = { joint: "both at once", factual: "enough for it", counterfactual: "it hangs on", why_not: "would bring it" };

/** Fills a table in `place`, each row as its answer arrives. */
export function compare(item, goals, place, sign) {
  const methods = seen.model.methods.filter(SHOWN);
  const body = made("tbody");
  const rows = new Map(methods.map((method) => [method, goals.map((goal) => row(method, goal))]));
  body.append(...[...rows.values()].flat());
  const head = made("tr");
  for (const name of ["Method", "Question", "Names", "Place then", "Questions asked"]) {
    const cell = made("th", name);
    cell.scope = "col";
    head.append(cell);
  }
  const about = made("p", "The same question put to each method. Every answer was checked with the recommender; fewer names are a shorter answer.", "quiet");
  about.id = "about-methods";
  const table = made("table", null, "", made("thead", null, "", head), body);
  table.setAttribute("aria-describedby", about.id);
  table.id = "methods";
  const frame = made("div", null, "wide", table);
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Methods compared");
  show(place, about, frame);
  return only("methods", {
    place: table, sign, words: "Asking each method",
    complain: (complaint) => place.append(complaint),
    work: async (signal, note) => {
      const left = [...methods];
      const one = async () => {
        for (let method; (method = left.shift());) {
          try {
            const told = await asJson("api/explanations", { body: { user: seen.user, items: [item], k: places(), goals, firm: firmly(), method }, signal, note });
            told.explanations.forEach((record, at) => fill(rows.get(method)[at], record));
          } catch (error) {
            // A method that cannot answer this is no reason to hide the others.
            if (error.status !== 400) throw error;
            for (const line of rows.get(method)) line.children[2].textContent = error.message;
          }
        }
      };
      // Two at a time: the others who ask want room too.
      await Promise.all([one(), one()]);
      announce("All methods have answered.");
    },
  });
}

function row(method, goal) {
  const head = made("th", method);
  head.scope = "row";
  return made("tr", null, "", head, made("td", GOALS[goal]), made("td", "…", "quiet"), made("td", ""), made("td", ""));
}

// Why-not answers both add and take away.
const signed = ({ goal }, edge) => (goal !== "why_not" ? "" : edge.change === "added" ? "with " : "without ") + called(edge);

function fill(line, one) {
  const [, , names, place, asked] = line.children;
  const unfound = { not_found: "nothing found", trivial: "nothing needed: the profile alone" }[one.status] ?? one.status;
  names.textContent = one.edges.map((edge) => signed(one, edge)).join(", ") || unfound;
  names.className = one.edges.length ? "" : "quiet";
  if (one.edges.length && one.status !== "verified") names.append(made("span", ` (${one.status})`, "quiet"));
  place.textContent = one.rank_after ?? "–";
  asked.textContent = Math.ceil(one.queries);
}
