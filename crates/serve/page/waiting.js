// One thing of a kind at a time, with a sign when it takes long, a way to stop it, and words when it fails.

import { button, made, show } from "./building.js";

const running = new Map();

/** What of this kind is under way is not wanted any more. */
export function stop(...kinds) {
  for (const kind of kinds) running.get(kind)?.abort();
}

/**
 * Does `work(signal, note)`; what is asked next of the same kind cancels it. While it runs `place` is busy and, after a moment, `sign`
 * says `words`. What goes wrong is given to `complain`, with a way to do it again.
 */
export async function only(kind, { place, sign, words, complain, work }) {
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  let stopped = false;
  const line = sign && waiting(sign, words, () => { stopped = true; controller.abort(); });
  place?.setAttribute("aria-busy", "true");
  const isLatest = () => running.get(kind) === controller;
  try {
    await work(controller.signal, line?.note);
  } catch (error) {
    const again = () => only(kind, { place, sign, words, complain, work });
    if (!controller.signal.aborted) complain?.(complaint(error, again), error);
    else if (stopped) complain?.(made("div", null, "complaint", made("p", "Stopped."), button("Ask again", again)), null);
  } finally {
    // Whoever came after has a sign of their own.
    if (isLatest()) {
      line?.end();
      place?.removeAttribute("aria-busy");
      running.delete(kind);
    } else line?.quiet();
  }
}

/** What went wrong, in words, with a button where trying again may help. */
export function complaint(error, again) {
  const told = made("div", null, "complaint", made("p", error.status === undefined ? "Something went wrong on this page." : error.message, "error"));
  if (error.status === undefined) console.error(error);
  const mayHelp = error.status === undefined || error.status === 0 || error.status === 401 || error.status >= 500;
  if (again && mayHelp && error.code !== "expired") told.append(button("Try again", again));
  return told;
}

/** A line that appears after a moment and counts the seconds once there are some. */
function waiting(sign, words, cancel) {
  const began = Date.now();
  const [text, seconds] = [made("span", `${words} …`), made("span", "")];
  seconds.setAttribute("aria-hidden", "true");
  const appear = setTimeout(() => {
    const bar = made("span", null, "bar");
    bar.setAttribute("aria-hidden", "true");
    show(sign, made("span", null, "words", text, " ", seconds), button("Cancel", cancel), bar);
  }, 300);
  const tick = setInterval(() => {
    const passed = Math.floor((Date.now() - began) / 1000);
    if (passed >= 2) seconds.textContent = `${passed} seconds so far`;
  }, 500);
  const quiet = () => { clearTimeout(appear); clearInterval(tick); };
  return { note: (note) => { text.textContent = `${note ?? words} …`; }, quiet, end: () => { quiet(); show(sign); } };
}
