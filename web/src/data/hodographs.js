// Paths of single impacts, shared by both kinds of page.

/** Codes of marks, in the order of the format. */
export const kMarks = ['s', 'l', 'c', 'r'];

export const kMarkNames = {
  s: 'sliding stops',
  l: 'direction invariant',
  c: 'compression ends',
  r: 'impact ends',
};

/**
 * @typedef {{vx: number, vy: number, vz: number, Iz: number, E: number, I: number[] | null}} Sample
 * @typedef {Sample & {code: string}} Mark
 * @typedef {{x: number, y: number, centrifugal: boolean, attracting: boolean}} Ray
 * @typedef {{samples: Sample[], marks: Mark[], rays: Ray[]}} Hodograph
 */

export class Hodographs {
  /** @param {import('./decode.js').Arrays} arrays */
  constructor(arrays) {
    this.arrays = arrays;
    const first = arrays.get('hodograph_first');
    this.count = first ? Math.max(first.length - 1, 0) : 0;
  }

  /** @param {number} k @returns {Hodograph | null} */
  get(k) {
    if (!(k >= 0 && k < this.count)) return null;
    const impulse = this.arrays.get('hodograph_impulse');
    const samples = this.rows('hodograph_samples', 'hodograph_first', k, 5).map(({ row, at }) => ({
      ...sampleOf(row),
      I: impulse ? Array.from(impulse.subarray(3 * at, 3 * at + 3)) : null,
    }));
    const marks = this.rows('hodograph_marks', 'hodograph_mark_first', k, 6).map(({ row }) => ({
      ...sampleOf(row),
      I: null,
      code: kMarks[row[5]] ?? '?',
    }));
    for (const mark of marks) mark.I = nearest(samples, mark.Iz)?.I ?? null;
    const rays = this.rows('hodograph_rays', 'hodograph_ray_first', k, 4).map(({ row }) => ({
      x: row[0],
      y: row[1],
      centrifugal: row[2] > 0.5,
      attracting: row[3] > 0.5,
    }));
    return { samples: samples.filter(isFinite5), marks: marks.filter(isFinite5), rays };
  }

  rows(name, firstName, k, width) {
    const first = this.arrays.get(firstName);
    const data = this.arrays.get(name);
    const rows = [];
    if (!first || !data) return rows;
    for (let at = first[k]; at < first[k + 1]; ++at) {
      rows.push({ at, row: data.subarray(at * width, (at + 1) * width) });
    }
    return rows;
  }
}

const sampleOf = (row) => ({ vx: row[0], vy: row[1], vz: row[2], Iz: row[3], E: row[4] });
const isFinite5 = (p) => [p.vx, p.vy, p.vz, p.Iz, p.E].every(Number.isFinite);

function nearest(samples, Iz) {
  let best = null;
  for (const p of samples) if (!best || Math.abs(p.Iz - Iz) < Math.abs(best.Iz - Iz)) best = p;
  return best;
}

/**
 * The path at one normal impulse, straight between samples; at a jump (the energy at c) what comes after it.
 * @param {Sample[]} samples @param {number} Iz
 * @returns {Sample | null}
 */
export function sampleAt(samples, Iz) {
  if (samples.length === 0) return null;
  let k = 0;
  while (k + 1 < samples.length && samples[k + 1].Iz <= Iz) ++k;
  const a = samples[k];
  const b = samples[Math.min(k + 1, samples.length - 1)];
  const span = b.Iz - a.Iz;
  const s = span > 0 ? Math.min(Math.max((Iz - a.Iz) / span, 0), 1) : 0;
  const mix = (p, q) => p + s * (q - p);
  return {
    vx: mix(a.vx, b.vx),
    vy: mix(a.vy, b.vy),
    vz: mix(a.vz, b.vz),
    Iz: mix(a.Iz, b.Iz),
    E: mix(a.E, b.E),
    I: a.I && b.I ? a.I.map((value, i) => mix(value, b.I[i])) : null,
  };
}
