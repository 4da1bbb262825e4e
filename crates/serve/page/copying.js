// Copying, also where the browser gives no clipboard (plain http from another machine).

import { announce, button, byId } from "./building.js";

/** Copies a text; says so on the button. */
export async function copy(text, pressed, what) {
  if (!await copied(text)) return byHand(text);
  announce(`${what} copied.`);
  const before = pressed.dataset.text ??= pressed.textContent;
  pressed.textContent = "Copied ✓";
  setTimeout(() => { pressed.textContent = before; }, 1800);
}

/** A button that copies what `text()` gives. */
export const copying = (label, what, text) => button(label, (event) => copy(text(), event.currentTarget, what));

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* It is copied by hand then. */ }
    area.remove();
    focused?.focus();
    return done;
  }
}

function byHand(text) {
  byId("to-copy").value = text;
  byId("by-hand").showModal();
  byId("to-copy").select();
}
