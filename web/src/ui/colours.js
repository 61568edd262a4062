// Colours that carry meaning. Bodies: Okabe and Ito's palette, told apart by colour-blind readers as well.

export const kBodyColours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#6b5fb5'];

/** sRGB components in 0…1 of '#rrggbb'. */
export function rgbOf(hex) {
  const n = parseInt(hex.slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

/**
 * The colour of the i-th moving body; after one round of the palette the same hues come lighter and darker, so that
 * two hundred bodies do not look like eight.
 */
export function bodyColour(i) {
  const base = rgbOf(kBodyColours[i % kBodyColours.length]);
  const round = Math.floor(i / kBodyColours.length) % 3;
  const towards = round === 1 ? 1 : 0;
  const amount = round === 0 ? 0 : round === 1 ? 0.35 : 0.22;
  return base.map((c) => c + amount * (towards - c));
}

// Viridis at nine places: uniform to the eye and safe for colour-blind readers.
const kScale = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'].map(rgbOf);

/** @param {number} s 0…1 @returns {number[]} sRGB in 0…1 */
export function scaleColour(s) {
  if (!Number.isFinite(s)) return [0.5, 0.5, 0.5];
  const at = Math.min(Math.max(s, 0), 1) * (kScale.length - 1);
  const k = Math.min(Math.floor(at), kScale.length - 2);
  return kScale[k].map((c, i) => c + (at - k) * (kScale[k + 1][i] - c));
}

export const scaleGradient = () =>
  `linear-gradient(to right, ${kScale.map((c) => `rgb(${c.map((v) => Math.round(255 * v)).join(' ')})`).join(', ')})`;

/** Of bodies by whether they sleep: apart in lightness too. */
export const kAwakeColour = rgbOf('#e69f00');
export const kAsleepColour = rgbOf('#35506b');
