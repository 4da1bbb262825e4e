// Copying, also where the browser gives no clipboard (plain http from another machine).

import { announce, button, made } from "./building.js";

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

/** Where nothing else works: selected, in a dialog that goes when it is closed. */
function byHand(text) {
  const area = Object.assign(made("textarea"), { id: "to-copy", rows: 8, readOnly: true, value: text });
  const label = Object.assign(made("label", "The browser does not let this page copy. It is selected: press Ctrl+C, or ⌘C."), { htmlFor: area.id });
  const title = Object.assign(made("h2", "Copy it by hand"), { id: "by-hand-title" });
  const form = Object.assign(made("form", null, "", title, label, area, made("div", null, "actions", made("button", "Done", "main"))), { method: "dialog" });
  const dialog = Object.assign(made("dialog", null, "", form), { id: "by-hand" });
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}
