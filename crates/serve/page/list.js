// The list, as it is or as it would be, with what moved.

import { asJson } from "./asking.js";
import { button, byId, called, made, show } from "./building.js";
import { isImagined, person, places, seen } from "./seen.js";

/** Asks for the list that goes with the history as it is ticked. */
export async function imagine(signal, note) {
  const body = { user: seen.user, remove: [...seen.removed], add: [...seen.added.keys()], k: places() };
  seen.list = await asJson("api/what-if", { body, signal, note });
}

/** Draws it; `why(item)` is what the button beside each does. */
export function drawList(why) {
  const { before, after } = seen.list;
  const stays = new Set(after.map((one) => one.item));
  const gone = isImagined() ? before.filter((one) => !stays.has(one.item)) : [];
  say(before, after, gone);
  const [tops, focused] = [positions(), document.activeElement?.closest("#items li")?.dataset.item];
  show(byId("items"), ...after.map((one) => row(one, before.length, why)));
  show(byId("gone"), ...gone.map((one) => {
    const where = one.rank_after ? `gone to place ${one.rank_after}` : "now in the history";
    return keyed(made("li", null, "", made("span", "", "rank"), made("div", null, "told", made("span", called(one), "name"), made("span", where, "moved down"))), one.item);
  }));
  byId("left").hidden = !gone.length;
  byId("explain-all").hidden = byId("rests-on").hidden = !after.length || isImagined();
  if (focused) rowOf(focused)?.querySelector("button").focus();
  for (const note of document.querySelectorAll(".note")) note.hidden = !isImagined();
  glide(tops);
}

function row(one, length, why) {
  const line = made("li", null, "", made("span", `${one.rank_after}.`, "rank"));
  const name = made("span", called(one), "name");
  line.append(made("div", null, "told", name, ...isImagined() ? moved(one, length) : []));
  line.append(button("Why?", () => why(one.item), `Why is ${called(one)} here?`));
  const because = isImagined() ? undefined : seen.because.get(one.item);
  if (because) line.append(made("p", because.sentence, "because"));
  return keyed(line, one.item);
}

const rowOf = (item) => [...byId("items").children].find((line) => line.dataset.item === item);

function keyed(line, item) {
  line.dataset.item = item;
  if (item === seen.item) line.className = "asked";
  return line;
}

/** Marks the row that the answer is about. */
export function markAsked() {
  for (const line of document.querySelectorAll("#items li, #gone li")) line.classList.toggle("asked", line.dataset.item === seen.item);
}

/** Puts a sentence below a name, without drawing all again. */
export function tellBecause(item) {
  const line = rowOf(item);
  if (!line) return;
  line.querySelector(".because")?.remove();
  line.append(made("p", seen.because.get(item).sentence, "because"));
}

function moved(one, length) {
  const [was, now] = [one.rank_before, one.rank_after];
  if (was === now) return [];
  if (was === null || was > length) return [made("span", was ? `new, from ${was}` : "new", "moved up")];
  const [arrow, way] = was > now ? ["▲", "up"] : ["▼", "down"];
  const sign = made("span", `${arrow} from ${was}`);
  sign.setAttribute("aria-hidden", "true");
  return [made("span", null, `moved ${way}`, sign, made("span", `${way} from ${was}`, "unseen"))];
}

function say(before, after, gone) {
  const state = byId("state");
  if (!after.length) {
    return show(state, made("p", `There is nothing to recommend to ${person.name}: nothing is left that is not in the history already.`));
  }
  if (!isImagined()) return show(state, made("p", `What ${person.is} recommended:`));
  const isNew = (one) => one.rank_before === null || one.rank_before > before.length;
  const fresh = after.filter(isNew).length;
  const shifted = after.filter((one) => !isNew(one) && one.rank_before !== one.rank_after).length;
  const parts = [[shifted, "moved"], [fresh, "new"], [gone.length, "gone"]].filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
  show(state, made("p", `What ${person.name} would be recommended then: ${parts.join(", ") || "the same, in the same order"}.`));
}

const positions = () => new Map([...document.querySelectorAll("#items li, #gone li")].map((line) => [line.dataset.item, line.getBoundingClientRect().top]));

/** Rows glide from where they were, for those who do not mind movement. */
function glide(tops) {
  if (!tops.size || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const line of document.querySelectorAll("#items li, #gone li")) {
    const from = tops.get(line.dataset.item);
    const by = from === undefined ? 0 : from - line.getBoundingClientRect().top;
    if (from === undefined) line.animate([{ opacity: 0 }, { opacity: 1 }], 260);
    else if (by) line.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
  }
}

