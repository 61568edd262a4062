// Numbers as people read them: a true minus sign, digits that mean something, a dash for what is not known.

const kMinus = '\u2212';
const kUnknown = '–';

/** @param {string} text */
const typeset = (text) =>
  text.replace(/^-/, kMinus).replace(/e([+-]?)(\d+)$/, (_, sign, digits) => `e${sign === '-' ? kMinus : ''}${digits}`);

/** @param {number | null | undefined} value @param {number} [digits] significant ones */
export function number(value, digits = 4) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return kUnknown;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return typeset(value.toExponential(Math.max(digits - 2, 1)));
  const decimals = Math.max(digits - 1 - Math.floor(Math.log10(size)), 0);
  return typeset(value.toFixed(Math.min(decimals, 12)));
}

/**
 * A number that the file knows only to a step: no decimal that is finer than the step, and 0 for what cannot be told
 * from it.
 * @param {number | null | undefined} value @param {number} step
 */
export function toStep(value, step) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return kUnknown;
  if (!(step > 0)) return number(value, 6);
  const told = Math.abs(value) <= 0.5 * step * (1 + 1e-9) ? 0 : value;
  const decimals = Math.max(Math.floor(-Math.log10(step) + 1e-9), 0);
  if (decimals > 9) return number(told, 4);
  const text = told.toFixed(decimals);
  return typeset(/^-0\.?0*$/.test(text) ? text.slice(1) : text);
}

/** Given numbers, as short as they are: 0.8, not 0.8000. */
export function brief(value, digits = 6) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return kUnknown;
  return typeset(String(Number(value.toPrecision(digits))));
}

/** Whole numbers with thin spaces between thousands. */
export function count(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return kUnknown;
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** Decimals of a clock: four digits of the span, and enough to tell two frames apart. */
export function clockDecimals(span, interval = Infinity) {
  const ofSpan = span > 0 ? 4 - Math.ceil(Math.log10(span)) : 3;
  const ofFrames = interval > 0 && interval < Infinity ? Math.ceil(-Math.log10(interval) - 1e-6) : 0;
  return Math.min(Math.max(ofSpan, ofFrames, 1), 9);
}

/** @param {number} seconds @param {number} decimals */
export const clock = (seconds, decimals) => (Number.isFinite(seconds) ? typeset(seconds.toFixed(decimals)) : kUnknown);

/** "1 body", "2 bodies" */
export const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
