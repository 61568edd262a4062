// Light and dark. The system decides until the reader does.

const listeners = new Set();
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let chosen = null;

export const isDark = () => (chosen ?? (dark.matches ? 'dark' : 'light')) === 'dark';

function apply() {
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
export const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
