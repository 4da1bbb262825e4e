// The whole list explained, each sentence as soon as it is found.

import { Refused, ask } from "./asking.js";
import { announce, byId, sentence, show } from "./building.js";
import { events } from "./events.js";
import { tellBecause } from "./list.js";
import { places, proving, seen } from "./seen.js";
import { only, stop } from "./waiting.js";

let isRunning = false;

/** Begins, or stops what was begun. */
export function explainAll() {
  if (isRunning) return stop("whole");
  isRunning = true;
  byId("explain-all").textContent = "Stop";
  seen.because.clear();
  const all = seen.list.before.length;
  const said = (words) => { byId("all-progress").textContent = words; };
  said(`0 of ${all} explained …`);
  return only("whole", {
    complain: (complaint) => show(byId("all-progress"), complaint),
    work: async (signal) => {
      try {
        for await (const record of answers(signal, (why) => said(why ? `${why} …` : `0 of ${all} explained …`))) {
          if (better(record, seen.because.get(record.item))) seen.because.set(record.item, record);
          tellBecause(record.item);
          said(`${seen.because.size} of ${all} explained …`);
        }
        said("");
        announce("The whole list is explained.");
      } finally {
        isRunning = false;
        byId("explain-all").textContent = "Explain the whole list";
        if (signal.aborted) said(seen.because.size ? `Stopped at ${seen.because.size} of ${all}.` : "");
      }
    },
  });
}

// One line has room for one: something before nothing, the shortest first, what it hangs on before what is enough.
const WORTH = (record) => (record.edges.length ? 1000 - 2 * record.edges.length : record.status === "trivial" ? 2 : 0) + (record.goal === "counterfactual" ? 1 : 0);
const better = (record, than) => !than || WORTH(record) > WORTH(than);

/** The records, from a stream or, where the server gives it whole, from JSON. */
async function* answers(signal, note) {
  const response = await ask("api/explanations", { body: { user: seen.user, k: places(), prove: proving() }, signal, note, accept: "text/event-stream" });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    yield* (await response.json()).explanations;
    return;
  }
  for await (const { type, data } of events(response)) {
    if (type === "explanation") yield JSON.parse(data).explanation;
    if (type === "end") return;
    if (type === "error") {
      const { code, message } = JSON.parse(data).error;
      throw new Refused(500, code, sentence(message));
    }
  }
  throw new Refused(0, "cut_off", "The connection was cut before the end of the list.");
}
