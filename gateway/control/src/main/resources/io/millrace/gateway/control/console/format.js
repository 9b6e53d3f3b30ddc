// Formats numbers, sizes and times.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

const rounded = (number) => (number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2));

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

export function bytes(count) {
  let unit = 0;
  let left = count;
  for (; left >= 1024 && unit < UNITS.length - 1; unit++) {
    left /= 1024;
  }
  return `${unit === 0 ? Math.round(left) : trimmed(rounded(left))} ${UNITS[unit]}`;
}

export const rate = (perSecond) => `${bytes(perSecond)}/s`;

export const count = (number) => number.toLocaleString("en-US");

export const perSecond = (number) => (number >= 100 ? count(Math.round(number)) : trimmed(number.toFixed(number < 0.1 ? 3 : number < 10 ? 2 : 1)));

export const percent = (share) => `${trimmed((share * 100).toFixed(1))}%`;

export const millis = (value) => (value >= 1000 ? `${trimmed(rounded(value / 1000))} s` : `${trimmed(rounded(value))} ms`);

// A length of time in its two largest units.
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  const shown = first < 0 ? [parts[3]] : parts.slice(first, first + 2).filter(([value]) => value > 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(" ");
}

export const clock = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

export const moment = (time) =>
  new Date(time).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
