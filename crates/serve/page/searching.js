// A field that shows what is found as one types. Each find is a button; arrows go through them, Escape closes.

import { announce, button, counted, made, show } from "./building.js";
import { only, stop } from "./waiting.js";

/**
 * `find(query, signal, note)` gives `{ found, all, hint }`; `name(one)` is what its button says, `beside(one)` a quieter word after it.
 * Enter takes the first. With `atOnce` an empty field shows some too when it is entered.
 */
export function searching(field, results, { find, name, beside, choose, nobody, atOnce = true }) {
  const buttons = () => [...results.querySelectorAll("button")];
  let timer;
  const close = () => { clearTimeout(timer); stop(results.id); show(results); };
  const take = (one) => {
    // The pressed button is about to go; the focus must not go with it.
    if (results.contains(document.activeElement)) field.focus();
    close();
    choose(one);
  };

  const look = () => only(results.id, {
    complain: (complaint) => show(results, made("li", null, "", complaint)),
    work: async (signal, note) => {
      const { found, all, hint } = await find(field.value.trim(), signal, note);
      const entries = found.map((one) => {
        const press = button(name(one), () => take(one));
        if (beside) press.append(made("span", beside(one), "quiet"));
        return made("li", null, "", press);
      });
      if (hint) entries.unshift(made("li", hint, "hint"));
      if (!found.length) entries.push(made("li", nobody(field.value.trim()), "hint"));
      if (all > found.length) entries.push(made("li", `${counted(all - found.length, "more", "more")}; type to narrow it down`, "hint"));
      show(results, ...entries);
      if (document.activeElement !== field) return;
      results.scrollIntoView({ block: "nearest" });
      announce(found.length ? `${found.length} found. Arrow down goes through them.` : nobody(field.value.trim()));
    },
  });

  field.addEventListener("input", () => {
    clearTimeout(timer);
    if (!field.value.trim() && !atOnce) return close();
    timer = setTimeout(look, 120);
  });
  field.addEventListener("focus", () => {
    field.select();
    if (atOnce && !field.value.trim() && !results.childElementCount) look();
  });
  const step = (event) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" && results.childElementCount) { field.focus(); close(); event.preventDefault(); }
    if (to === undefined || (at < 0 && event.key !== "ArrowDown")) return;
    event.preventDefault();
    if (!all.length) return look();
    (to < 0 ? field : all[Math.min(to, all.length - 1)]).focus();
  };
  field.addEventListener("keydown", step);
  results.addEventListener("keydown", step);
  field.addEventListener("keydown", (event) => {
    const first = buttons()[0];
    if (event.key === "Enter" && first && field.form.id !== "who") { event.preventDefault(); first.click(); }
  });
  // The field keeps the focus while one of its finds is pressed; so leaving it is really leaving.
  results.addEventListener("pointerdown", (event) => event.preventDefault());
  field.form.addEventListener("focusout", (event) => {
    if (!field.form.contains(event.relatedTarget) && !results.classList.contains("open")) close();
  });
  return { close, look };
}
