// What the list as a whole rests on: one sentence and its picture under the list.

import { asJson } from "./asking.js";
import { announce, byId, made, show } from "./building.js";
import { places, seen } from "./seen.js";
import { only } from "./waiting.js";

/** Asks and tells; whoever opens another list meanwhile is told nothing. */
export function askRests() {
  const user = seen.user;
  return only("rests", {
    place: byId("rests"), sign: byId("rests-wait"), words: "Looking for what the list rests on",
    complain: (complaint) => show(byId("rests"), complaint),
    work: async (signal, note) => {
      const { explanation, picture } = await asJson("api/list-explanations", { body: { user, k: places() }, signal, note });
      if (user !== seen.user) return;
      const image = made("img");
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
      image.alt = "A drawing of the sentence above: the list as it is, and as it would be.";
      const drawn = explanation.edges.length ? [made("figure", null, null, image)] : [];
      show(byId("rests"), made("p", explanation.sentence), ...drawn);
      announce(explanation.sentence);
    },
  });
}

/** Nothing is told about a list that is not shown any more. */
export const forgetRests = () => show(byId("rests"));
