/* Elements and numbers. Everything a user or a file wrote goes in as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "text") node.textContent = value;
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (["value", "checked", "disabled", "open", "indeterminate"].includes(name)) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** el("button", {class: "button", onclick: go}, "Go"): children are nodes or text. */
export const el = (tag, attributes, ...children) => make(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes, ...children) => make(document.createElementNS(SVG, tag), attributes, children);

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** The data of a {{ value|json_script:id }} tag. */
export const data = (id) => JSON.parse(document.getElementById(id).textContent);

/** The value of a design token, such as token("--accent"). */
export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** "light" or "dark", as shown now; `document` hears "cairn:theme" when it changes. */
export const theme = () => document.documentElement.dataset.theme ?? "light";

/** Say something to a screen reader. */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region && region.textContent !== text) region.textContent = text;
}

/** Offer a file to the reader; `content` is a Blob or a URL. */
export function save(content, name) {
  const url = content instanceof Blob ? URL.createObjectURL(content) : content;
  el("a", { href: url, download: name }).click();
  if (content instanceof Blob) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Numbers -------------------------------------------------------------------

const NARROW = "\u202f"; // between a number and its unit
const WHOLE = new Intl.NumberFormat("en");

/** 12,345 */
export const whole = (value) => WHOLE.format(Math.round(value));

/** 1 event, 407 events */
export const count = (value, one, many = `${one}s`) => `${whole(value)} ${value === 1 ? one : many}`;

/** At most `digits` significant digits, no exponent: 0.00123, 12.3, 1,230 */
export const number = (value, digits = 3) =>
  new Intl.NumberFormat("en", { maximumSignificantDigits: digits }).format(value);

/** 141 m, 2.79 km, 1,234 km */
export function metres(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size < 10) return `${number(value, 2)}${NARROW}m`;
  if (size < 1000) return `${whole(value)}${NARROW}m`;
  return `${size < 100_000 ? number(value / 1000) : whole(value / 1000)}${NARROW}km`;
}

/** 40.7 % */
export const percent = (share, digits = 3) => `${number(share * 100, digits)}${NARROW}%`;

/** How much of a job is done: 64 %; 100 % only when it is over. */
export const done = (share) => `${Math.min(Math.floor(share * 100), share < 1 ? 99 : 100)}${NARROW}%`;

/** 1.2 MB */
export function bytes(value) {
  const units = ["B", "kB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), 3);
  return `${number(value / 1000 ** power)}${NARROW}${units[power]}`;
}

/** 8 s, 12 min, 3 h 20 min, 2 d 4 h */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const units = [
    ["d", 86400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ];
  if (seconds < 10) return `${number(seconds, 2)}${NARROW}s`;
  const total = seconds >= 7200 ? Math.round(seconds / 60) * 60 : Math.round(seconds);
  const first = units.findIndex(([, size]) => total >= size);
  const parts = [];
  let rest = total;
  for (const [unit, size] of units.slice(first, first + 2)) {
    if (Math.floor(rest / size)) parts.push(`${Math.floor(rest / size)}${NARROW}${unit}`);
    rest %= size;
  }
  return parts.join(" ");
}

// Times: of the data, so in UTC and not in the reader's zone -----------------

const asDate = (time) => (typeof time === "number" ? new Date(time * 1000) : new Date(time));
const DAY = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const MINUTE = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
const SECOND = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** 3 Feb 2008, from seconds since 1970 or ISO text */
export const day = (time) => DAY.format(asDate(time));

/** 3 Feb 2008, 08:42:10 */
export const moment = (time, { seconds = true } = {}) =>
  `${day(time)}, ${(seconds ? SECOND : MINUTE).format(asDate(time))}`;

/** 2 Feb 2008, 13:33 to 4 Feb 2008, 11:20 UTC */
export function span(start, end) {
  const last = day(start) === day(end) ? MINUTE.format(asDate(end)) : moment(end, { seconds: false });
  return `${moment(start, { seconds: false })} to ${last} UTC`;
}
