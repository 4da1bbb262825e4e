// Elements. Everything from the data is set as text, never as markup.

export const byId = (id) => document.getElementById(id);

/** An element with a text; children are added where they are given. */
export function made(tag, text, className, ...children) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** A button; `label` is what a screen reader says in the place of its text. */
export function button(text, press, label, className) {
  const element = made("button", text, className);
  element.type = "button";
  if (label) element.setAttribute("aria-label", label);
  element.addEventListener("click", press);
  return element;
}

export function show(parent, ...children) { parent.replaceChildren(...children); }

export const called = (thing) => thing.title ?? thing.item;

/** Says something to those who cannot see it happen. The same words twice are said twice. */
export function announce(words) {
  byId("said").textContent = "";
  setTimeout(() => { byId("said").textContent = words; }, 50);
}

/** Moves on to a heading without touching the address, whose hash is the link. */
export function goTo(heading) {
  heading.focus({ preventScroll: true });
  const gently = matchMedia("(prefers-reduced-motion: no-preference)").matches;
  const { top } = heading.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) heading.scrollIntoView({ behavior: gently ? "smooth" : "auto" });
}

export const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export const ordinal = (place) => {
  const ending = place % 100 >= 11 && place % 100 <= 13 ? "th" : ["th", "st", "nd", "rd"][place % 10] ?? "th";
  return `${place}${ending}`;
};

export const amount = (value) => Math.abs(value) >= 0.005 ? Math.abs(value).toFixed(2) : Math.abs(value).toPrecision(1);

/** A server's message as a sentence. */
export const sentence = (text) => text ? text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".") : "";
