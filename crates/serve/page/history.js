// The sandbox: what somebody did, to be taken off and added to.

import { byId, called, counted, made, show } from "./building.js";
import { hasItem, isImagined, person, seen, words } from "./seen.js";

let changed = () => {};
/** Who is told when something was taken off or added. */
export function onChange(told) { changed = told; }

export function drawHistory() {
  show(byId("history"), ...[...seen.added.values()].map((thing) => entry(thing, true)), ...seen.history.map((thing) => entry(thing, false)));
  byId("history-title").textContent = `${words.items[0].toUpperCase()}${words.items.slice(1)} ${person.name} ${words.did}`;
  byId("filtering").hidden = seen.history.length <= 15;
  filter();
  sum();
}

function entry(thing, isAdded) {
  const box = made("input");
  box.type = "checkbox";
  box.checked = isAdded || !seen.removed.has(thing.item);
  const name = made("span", called(thing), "name");
  if (isAdded) name.append(made("span", " added", "added"));
  const line = made("li", null, "", made("label", null, "", box, name));
  line.dataset.item = thing.item;
  box.addEventListener("change", () => {
    if (isAdded) {
      // It was never there; it goes, and the focus to what is beside it.
      const beside = (line.nextElementSibling ?? line.previousElementSibling)?.querySelector("input") ?? byId("add");
      seen.added.delete(thing.item);
      line.remove();
      beside.focus();
    } else if (box.checked) seen.removed.delete(thing.item);
    else seen.removed.add(thing.item);
    sum();
    changed();
  });
  return line;
}

function sum() {
  const parts = [counted(seen.history.length, words.item, words.items)];
  if (seen.removed.size) parts.push(`${seen.removed.size} taken off`);
  if (seen.added.size) parts.push(`${seen.added.size} added`);
  byId("count").textContent = seen.history.length || seen.added.size
    ? parts.join(", ")
    : `Nothing is known that ${person.name} ${words.did}. Add something above to see what the list would be.`;
  byId("reset").hidden = !isImagined();
}

function filter() {
  const wanted = byId("filter").value.trim().toLowerCase();
  for (const line of byId("history").children) line.hidden = !line.textContent.toLowerCase().includes(wanted);
}
byId("filter").addEventListener("input", filter);

/** Draws it whole, and moves its own scroll area, not the page, to what was changed. */
function redrawAt(item) {
  byId("filter").value = "";
  drawHistory();
  const [list, line] = [byId("history"), byId("history").querySelector(`[data-item="${CSS.escape(item)}"]`)];
  if (line) list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 3;
}

/** Adds something found; what was only taken off comes back. */
export function add(thing) {
  if (hasItem(thing.item)) seen.removed.delete(thing.item);
  else seen.added.set(thing.item, thing);
  redrawAt(thing.item);
  changed();
}

/** As things really are. */
export function reset() {
  seen.removed.clear();
  seen.added.clear();
  drawHistory();
  changed();
}

/** Imagines what an explanation names, and nothing else where `alone`. */
export function tryOut(edges, alone) {
  if (alone) { seen.removed.clear(); seen.added.clear(); }
  for (const edge of edges) {
    if (edge.change !== "added") seen.removed.add(edge.item);
    else if (!hasItem(edge.item)) seen.added.set(edge.item, edge);
  }
  redrawAt(edges[0].item);
  changed();
}

/** Whether the sandbox can imagine it: it is the person's own. */
export const canTry = (edge) => edge.user === seen.user && (edge.change === "added" || hasItem(edge.item));
