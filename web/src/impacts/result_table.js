// The result of a case as a table, in the words of docs/impact_format.md.

import { el, shorten } from '../ui/dom.js';
import { brief, number } from '../ui/format.js';

const kRows = [
  ['status', 'Status'], ['law', 'Law'], ['method', 'Method'], ['iterations', 'Iterations'],
  ['sequence_exact', 'Events'], ['sequence_tol', 'Events, text’s label'],
  ['impulse', 'Impulse on B', 'N s'], ['v_post', 'Velocity afterwards', 'm/s'],
  ['Iz_c', 'Iz at c', 'N s'], ['Iz_s', 'Iz at s', 'N s'], ['Iz_l', 'Iz at l', 'N s'], ['Iz_r', 'Iz at r', 'N s'],
  ['impulse_c', 'Impulse at c', 'N s'], ['impulse_s', 'Impulse at s', 'N s'],
  ['E_c', 'Energy stored at c', 'J'], ['work_compression', 'Work of compression', 'J'],
  ['work_restitution', 'Work of restitution', 'J'], ['work_friction', 'Work of friction', 'J'],
  ['condition18', 'Condition (18)'], ['condition18_margin', 'Its margin', '1/kg'],
];

function text(value) {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return Number.isInteger(value) ? brief(value) : number(value, 6);
  if (typeof value === 'boolean') return value ? 'holds' : 'fails';
  if (Array.isArray(value)) return value.map((inner) => text(inner)).join('   ');
  return shorten(value, 120).replace(/_/g, ' ');
}

const row = (label, value, unit = '', key = null) =>
  el('div', {}, el('dt', {}, label, unit && value !== '–' ? ` [${unit}]` : null), el('dd', { 'data-field': key }, value));

/** Lines of numbers, one below the other. */
function matrix(lines) {
  const texts = lines.map((line) => line.map((value) => brief(value)));
  const width = Math.max(...texts.flat().map((text) => text.length));
  return texts.map((line) => line.map((text) => text.padStart(width, '\u2007')).join('  ')).join('\n');
}

function directions(list) {
  if (list === null) return [row('Invariant directions', 'every direction')];
  return (list ?? []).map(({ direction, kind, attracting }) => {
    const [x, y] = Array.isArray(direction) ? direction : [NaN, NaN];
    const angle = ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
    return row('Invariant direction', `${number(angle, 4)}°, ${text(kind)}${attracting ? ', attracting' : ''}`);
  });
}

/** @param {{problem?: any, result?: any}} one */
export function resultTable({ problem, result }) {
  const given = problem
    ? [
        row('W', el('span', { class: 'matrix' }, matrix(problem.W ?? [])), '1/kg'),
        row('Velocity before', (problem.v ?? []).map((x) => brief(x)).join('   '), 'm/s'),
        row('Friction μ', brief(problem.mu)),
        row('Restitution e', brief(problem.e)),
      ]
    : [];
  const found = kRows.filter(([key]) => result && key in result).map(([key, label, unit]) => row(label, text(result[key]), unit, key));
  const rays = result && 'invariant_directions' in result ? directions(result.invariant_directions) : [];
  const bodies = (result?.bodies_post ?? []).flatMap((body, i) =>
    Object.entries(body ?? {}).map(([key, value]) => row(`${'AB'[i] ?? i}, ${key.replace(/_/g, ' ')}`, text(value), key === 'velocity' ? 'm/s' : 'rad/s')));
  const section = (title, rows) => (rows.length ? el('section', { class: 'summary' }, el('h3', {}, title), el('dl', { class: 'facts-list' }, rows)) : null);
  return el('div', { class: 'result-tables' }, section('Given', given), section('Found', found), section('Directions and bodies', [...rays, ...bodies]));
}
