// Facts about the run as a table: summary.json, materials, what the file keeps.

import { el, shorten } from '../ui/dom.js';
import { brief, count, number } from '../ui/format.js';

/** Keys of nested objects become one line each; everything is shown as text. */
function lines(value, path = []) {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => lines(inner, [...path, key]));
  }
  return [[path.join(', ').replace(/_/g, ' '), text(value)]];
}

function text(value) {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : number(value, 6);
  if (Array.isArray(value)) return value.map(text).join('  ');
  return shorten(value, 400);
}

const table = (title, rows) =>
  rows.length
    ? el('section', { class: 'summary' }, el('h3', {}, title), el('dl', { class: 'facts-list' }, rows.map(([label, value]) => el('div', {}, el('dt', {}, shorten(label, 80)), el('dd', {}, value)))))
    : null;

export const kUnfinished = 'The recording was not closed by its writer: the run was still going on, or was ended from outside. What had been written is shown.';

/** @param {any} header */
export function summaryPanel(header) {
  const { summary, scene, frames, events, energies, contacts, materials, missing, program } = header;
  const kept = [
    ['frames', `${count(frames?.count)} of ${count(frames?.all)}`],
    ['frames a second', number(frames?.rate, 4)],
    ['events', `${count(events?.count)} of ${count(events?.all)}`],
    ...(contacts ? [['contact points', `${count(contacts.count)} of ${count(contacts.all)}`]] : []),
    ['energies', `${count(energies?.count)} of ${count(energies?.all)}`],
    ['made by', shorten(program, 80)],
  ];
  const law = (material) => [shorten(material.name, 60), `μ ${brief(material.friction)},  e ${brief(material.restitution)},  ${shorten(material.law, 20)}`];
  return el('div', { class: 'summaries' },
    header.complete === false ? el('p', { class: 'note unfinished' }, kUnfinished) : null,
    table('Scene', lines(scene ?? {})),
    summary ? table('Summary', lines(summary)) : el('p', { class: 'note' }, 'The folder of this run has no summary.'),
    table('Materials', (materials ?? []).slice(0, 200).map(law)),
    table('Kept in this file', kept),
    table('Not in this file', Object.entries(missing ?? {}).map(([key, reason]) => [key.replace(/_/g, ' '), text(reason)])));
}
