// The OpenAPI document as a page. Everything from it is set as text.

import { button, byId, made, sentence, show } from "./page/building.js";
import { copying } from "./page/copying.js";

const VERBS = ["get", "post", "put", "patch", "delete"];
let api;

/** What a reference within the document points at. */
function resolved(thing) {
  for (let hops = 0; thing?.$ref && hops < 8; hops += 1) {
    thing = thing.$ref.slice(2).split("/").reduce((at, name) => at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], api);
  }
  return thing ?? {};
}

const anchor = (name) => `shape-${name}`;

/** A type in a few words, with a way to the shapes it names. */
function typed(schema) {
  if (!schema) return [""];
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    const way = made("a", name);
    way.href = `#${anchor(name)}`;
    return [way];
  }
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return parts.flatMap((part, at) => at ? [schema.allOf ? " and " : " or ", ...typed(part)] : typed(part));
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(" or ")];
  if ("const" in schema) return [JSON.stringify(schema.const)];
  const types = [schema.type ?? (schema.properties ? "object" : "anything")].flat();
  if (types.includes("array")) return ["a list of ", ...typed(schema.items ?? {}), types.includes("null") ? " or null" : ""];
  const limits = [["minimum", "at least"], ["maximum", "at most"], ["maxLength", "characters at most"]].filter(([name]) => name in schema).map(([name, words]) => `${words} ${schema[name]}`);
  if ("default" in schema) limits.push(`${JSON.stringify(schema.default)} if not given`);
  return [types.join(" or ") + (limits.length ? ` (${limits.join(", ")})` : "")];
}

/** An example of a schema: its own, or one made from its parts. */
function example(schema, depth = 0) {
  if (schema?.example !== undefined) return schema.example;
  const of = resolved(schema);
  if (of.example !== undefined) return of.example;
  if (of.examples?.length) return of.examples[0];
  if ("default" in of) return of.default;
  if ("const" in of) return of.const;
  if (of.enum) return of.enum[0];
  const part = of.oneOf ?? of.anyOf;
  if (part) return example(part.find((one) => one.type !== "null") ?? part[0], depth);
  if (of.allOf) return Object.assign({}, ...of.allOf.map((one) => example(one, depth)));
  const type = [of.type].flat().find((one) => one !== "null");
  if (type === "array") return depth > 4 ? [] : [example(of.items ?? {}, depth + 1)];
  if (of.properties) {
    const wanted = Object.entries(of.properties).filter(([name]) => depth <= 4 && (!of.required || of.required.includes(name)));
    return Object.fromEntries(wanted.map(([name, one]) => [name, example(one, depth + 1)]));
  }
  return { integer: 1, number: 0.5, boolean: true, string: "…", object: {} }[type] ?? null;
}

/** A description: what stands between backticks is code. */
const told = (text) => text.split("`").map((part, at) => at % 2 ? made("code", part) : part);

const paragraphs = (text) => text.split(/\n\s*\n/).map((part) => made("p", null, "quiet", ...told(part)));

function table(heads, rows, caption) {
  const head = made("tr");
  for (const name of heads) { const cell = made("th", name); cell.scope = "col"; head.append(cell); }
  const body = made("tbody");
  for (const [first, ...rest] of rows) {
    const name = made("th", null, "", ...first);
    name.scope = "row";
    body.append(made("tr", null, "", name, ...rest.map((cell) => made("td", null, "", ...cell))));
  }
  const full = made("table", null, "", ...caption ? [made("caption", caption)] : [], made("thead", null, "", head), body);
  return made("div", null, "wide", full);
}

const fold = (title, ...inside) => made("details", null, "", made("summary", title), ...inside);
const block = (text) => made("pre", null, "", made("code", text));
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function bodyOf(operation) {
  const content = resolved(operation.requestBody).content ?? {};
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!media) return null;
  const named = Object.values(media.examples ?? {})[0];
  return { type, media, text: JSON.stringify(media.example ?? resolved(named).value ?? example(media.schema), null, 2) };
}

function curl(verb, path, parameters, body) {
  const query = parameters.filter((one) => one.in === "query").map((one) => `${one.name}=${encodeURIComponent(one.example ?? example(one.schema) ?? "")}`).join("&");
  const filled = path.replace(/\{(\w+)\}/g, (whole, name) => {
    const one = parameters.find((own) => own.name === name);
    const value = one?.example ?? example(one?.schema ?? {});
    return value && value !== "…" ? encodeURIComponent(value) : whole;
  });
  const address = new URL(`.${filled}`, document.baseURI).href.replaceAll("%7B", "{").replaceAll("%7D", "}") + (query ? `?${query}` : "");
  const parts = ["curl"];
  if (verb !== "get") parts.push(`-X ${verb.toUpperCase()}`);
  if (body) parts.push(`-H ${quoted(`Content-Type: ${body.type}`)}`, `-d ${quoted(JSON.stringify(JSON.parse(body.text)))}`);
  return [...parts, quoted(address)].join(" ");
}

function responses(operation) {
  const rows = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const said = resolved(response);
    const kinds = Object.entries(said.content ?? {}).flatMap(([type, media], at) => [...at ? [made("br")] : [], `${type} `, ...media.schema ? typed(media.schema) : []]);
    return [[status], told(said.description ?? ""), kinds];
  });
  if (!rows.length) return [made("p", "Nothing is said about the answers.", "quiet")];
  const heads = ["Status", "Meaning", "Content"];
  const isGood = ([[status]]) => status.startsWith("2");
  const bad = rows.filter((row) => !isGood(row));
  return [table(heads, rows.filter(isGood)), ...bad.length ? [fold("When it goes wrong", table(heads, bad))] : []];
}

function operationSection(path, verb, operation, shared) {
  const parameters = [...shared ?? [], ...operation.parameters ?? []].map(resolved);
  const title = made("h2", null, "", made("span", verb.toUpperCase(), `verb ${verb}`), made("code", path));
  const section = made("section", null, "", title);
  section.id = `${verb}${path.replace(/\W+/g, "-")}`;
  if (operation.summary) section.append(made("p", sentence(operation.summary)));
  if (operation.description) section.append(...paragraphs(operation.description));
  if (operation.deprecated) section.append(made("p", "Do not use this in new work.", "error"));
  if (parameters.length) {
    section.append(made("h3", "Parameters"), table(["Name", "Where", "Type", "Meaning"], parameters.map((one) => [
      [made("code", one.name)], [one.in + (one.required ? ", needed" : "")], typed(one.schema), told(one.description ?? ""),
    ])));
  }
  const body = bodyOf(operation);
  if (body) section.append(made("h3", "Body"), made("p", null, "quiet", `${body.type}: `, ...typed(body.media.schema)), block(body.text));
  const line = curl(verb, path, parameters, body);
  const copy = copying("Copy", "Command", () => line);
  copy.setAttribute("aria-label", `Copy the command for ${verb.toUpperCase()} ${path}`);
  section.append(made("h3", "Try it"), block(line), copy);
  section.append(made("h3", "Answers"), ...responses(operation));
  return section;
}

function shape(name, schema) {
  const of = resolved(schema);
  const parts = of.description ? paragraphs(of.description) : [];
  const whole = (of.allOf ?? [of]).map(resolved);
  const fields = whole.flatMap((one) => Object.entries(one.properties ?? {}).map(([field, kind]) => [
    [made("code", field)], [...typed(kind), one.required?.includes(field) ? "" : ", may be left out"], told(kind.description ?? ""),
  ]));
  parts.push(fields.length ? table(["Field", "Type", "Meaning"], fields) : made("p", null, "", ...typed(of)));
  parts.push(fold("As JSON Schema", block(JSON.stringify(schema, null, 2))));
  const folded = fold(name, ...parts);
  folded.id = anchor(name);
  return folded;
}

function draw() {
  const { info = {}, paths = {}, components = {} } = api;
  byId("title").textContent = info.title ?? "The API";
  show(byId("about"), ...told([info.version && `Version ${info.version}.`, info.description].filter(Boolean).join(" ")));
  const all = Object.entries(paths).flatMap(([path, item]) => VERBS.filter((verb) => item[verb]).map((verb) => operationSection(path, verb, item[verb], item.parameters)));
  show(byId("operations"), ...all);
  const ways = all.map((section) => {
    const way = made("a", section.querySelector("h2 code").textContent);
    way.href = `#${section.id}`;
    return made("li", null, "", made("span", section.querySelector(".verb").textContent, section.querySelector(".verb").className), way);
  });
  show(byId("contents"), made("ul", null, "", ...ways));
  const shapes = Object.entries(components.schemas ?? {});
  byId("schemas").hidden = !shapes.length;
  byId("schemas").append(...shapes.map(([name, schema]) => shape(name, schema)));
  unfold();
}

/** What the address points at is open. */
function unfold() {
  const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted?.tagName === "DETAILS") wanted.open = true;
  wanted?.scrollIntoView();
}
addEventListener("hashchange", unfold);

async function begin() {
  show(byId("state"));
  try {
    const token = sessionStorage.getItem("token");
    const response = await fetch("openapi.json", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    if (!response.ok) throw new Error(response.status === 401 ? "This service wants a token: open the page first and enter it there." : `The server answered with ${response.status}.`);
    api = await response.json();
    draw();
  } catch (error) {
    const words = error instanceof TypeError ? "The server does not answer." : error instanceof SyntaxError ? "What came is no OpenAPI document." : error.message;
    show(byId("state"), made("p", words, "error"), button("Try again", begin));
  }
}
begin();
