// Asking the service: with the token or the pass, again when it is busy, and waiting for it when it is gone.

import { announce, button, byId, made, sentence, show } from "./building.js";

/** The service said no, or nothing. `code` is its word for programs, `near` the names that were perhaps meant. */
export class Refused extends Error {
  constructor(status, code, message, near = []) { super(message); Object.assign(this, { status, code, near }); }
}

let pass = null;
/** A pass from a signed link goes before a token. */
export function carry(given) { pass = given; }

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = setTimeout(resolve, seconds * 1000);
  signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/** The answer to a request. `note` is told why it takes longer, and `null` when that is over. */
export async function ask(path, { body, signal, note, accept = "application/json" } = {}) {
  for (let [busy, lost] = [0, 0]; ;) {
    const headers = { Accept: accept };
    const secret = pass ?? sessionStorage.getItem("token");
    if (secret) headers.Authorization = `Bearer ${secret}`;
    if (body) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal, cache: "no-store" });
    } catch (error) {
      if (signal?.aborted || ++lost > 5) throw signal?.aborted ? signal.reason : new Refused(0, "gone", "The server does not answer.");
      await back(signal);
      continue;
    }
    if (response.ok) return response;
    const said = (await response.json().catch(() => null))?.error ?? {};
    if (response.status === 503 && busy < (said.code === "timed_out" ? 1 : 5)) {
      busy += 1;
      note?.(said.code === "stopping" ? "The server is about to stop; trying again" : "Many are asking just now; trying again");
      await pause(Math.min(Number(response.headers.get("Retry-After")) || 1, 30), signal);
      note?.(null);
      continue;
    }
    if (response.status === 401 && !pass && said.code !== "expired") {
      // Somebody may have given it for another request meanwhile.
      if (secret !== sessionStorage.getItem("token") || await wantToken(Boolean(secret))) continue;
    }
    throw new Refused(response.status, said.code ?? "", wording(response.status, said), said.near);
  }
}

/** The same, read as JSON. */
export async function asJson(path, asked) {
  const response = await ask(path, asked);
  try {
    return await response.json();
  } catch {
    asked?.signal?.throwIfAborted();
    throw new Refused(0, "cut_off", "The answer did not arrive whole.");
  }
}

function wording(status, { code, message }) {
  if (code === "expired") return "This link has expired. Ask whoever gave it to you for a new one.";
  if (code === "not_yours") return "This link is for one person’s page, and this is about somebody else.";
  if (status === 401) return pass ? "This link does not open the page. Perhaps a piece of it was lost on the way; ask for it again." : "Without the token there is nothing to see here.";
  if (code === "busy") return "Too many are asking just now. Give it a moment.";
  if (code === "timed_out") return "This took too long, and the server gave it up.";
  if (code === "recommender") return "The recommender behind this page did not answer.";
  return message ? sentence(message) : `The server answered with ${status}, and nothing more.`;
}

let asking = null;
/** One dialog, however many requests want a token. */
function wantToken(wasWrong) {
  const [dialog, secret] = [byId("token"), byId("secret")];
  asking ??= new Promise((resolve) => {
    byId("token-wrong").hidden = !wasWrong;
    secret.value = "";
    dialog.returnValue = "";
    dialog.showModal();
    secret.focus();
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue ? secret.value.trim() : "";
      if (given) sessionStorage.setItem("token", given); else sessionStorage.removeItem("token");
      asking = null;
      resolve(given !== "");
    }, { once: true });
  });
  return asking;
}

let gone = null;
/** Until the server answers again, or the person has moved on. */
function back(signal) {
  gone ??= (async () => {
    const banner = byId("problem");
    let hurry;
    show(banner,
      made("p", null, "", made("strong", "The server does not answer."), " It may have been stopped, or the network is down. This page tries again by itself; nothing you see is lost."),
      button("Try again", () => hurry()));
    banner.hidden = false;
    for (let wait = 1; ; wait = Math.min(wait * 1.5, 8)) {
      await new Promise((resolve) => { hurry = resolve; setTimeout(resolve, wait * 1000); });
      const answer = await fetch("healthz", { cache: "no-store" }).catch(() => null);
      if (answer?.ok) break;
    }
    banner.hidden = true;
    show(banner);
    gone = null;
    announce("The server answers again.");
  })();
  return Promise.race([gone, new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }))]);
}
