/** 1, 2 or 5 times a power of ten, not above the value. @param {number} value > 0 */
export function niceBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
  const lead = value / power;
  return power * (lead >= 5 - 1e-9 ? 5 : lead >= 2 - 1e-9 ? 2 : 1);
}
