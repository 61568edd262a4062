// Light and dark. The system decides until the reader does.

const listeners = new Set();
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let chosen = null;
/** Colours that were asked for, until the theme changes; plots ask often. */
const colours = new Map();

export const isDark = () => (chosen ?? (dark.matches ? 'dark' : 'light')) === 'dark';

function apply() {
  colours.clear();
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

/** @param {() => void} listener called after the colours have changed */
export function onTheme(listener) {
  listeners.add(listener);
}

export function toggleTheme() {
  chosen = isDark() ? 'light' : 'dark';
  apply();
}

export function startTheme() {
  dark.addEventListener('change', apply);
  apply();
}

/** A colour of the style sheet, for canvases. @param {string} name such as '--ink' */
export function cssColour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}

export const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
