// The list of impacts and, below it, the chosen one.

import { kNone } from '../data/recording.js';
import { el, shorten, svg } from '../ui/dom.js';
import { brief, clock, clockDecimals, count, number } from '../ui/format.js';
import { TableList } from '../ui/table_list.js';
import { energyFigure } from './energy_figure.js';
import { hodographFigure } from './hodograph_figure.js';
import { figureLegend } from './legend.js';

export class ImpactPanel {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('../replay/player.js').Player} player
   * @param {(event: number) => void} jumped
   */
  constructor(recording, player, jumped) {
    this.recording = recording;
    this.player = player;
    this.jumped = jumped;
    this.detail = el('div', { class: 'impact-detail' });
    const { events } = recording;
    const decimals = clockDecimals(player.end - player.start, recording.interval) + 1;
    this.list = new TableList({
      label: 'Impacts and other events',
      count: events.count,
      template: 'minmax(66px, 0.9fr) minmax(80px, 2fr) minmax(86px, 1fr) minmax(70px, 1fr) 20px',
      empty: recording.missing.events ?? 'no events',
      text: (i) => `${this.kind(i)} ${this.joint(i) ?? ''} ${this.name(events.a[i])} ${this.name(events.b[i])} ${events.time[i]}`,
      choose: (i) => this.choose(i),
      columns: [
        { name: 'time', label: 'Time [s]', numeric: true, sort: (i) => events.time[i], cell: (i) => clock(events.time[i], decimals) },
        { name: 'bodies', label: 'Bodies', sort: (i) => `${this.name(events.a[i])} ${this.name(events.b[i])}`.toLowerCase(), cell: (i) => this.pair(i) },
        { name: 'impulse', label: 'Impulse [N s]', numeric: true, sort: (i) => events.strength[i], cell: (i) => (this.isImpact(i) ? number(events.strength[i]) : '') },
        { name: 'energy', label: 'Lost [J]', numeric: true, sort: (i) => events.energy[i], cell: (i) => (this.isImpact(i) ? number(events.energy[i], 3) : '') },
        { name: 'path', label: '', cell: (i) => (events.hodograph[i] === kNone ? '' : curveSign()) },
      ],
    });
    const left = events.all > events.count ? el('p', { class: 'note' }, `${count(events.count)} of ${count(events.all)} events are kept in this file.`) : null;
    this.element = el('div', { class: 'impacts' }, this.list.element, left, this.detail);
    this.showNothing();
  }

  kind(i) {
    return this.recording.events.kinds[this.recording.events.kind[i]] ?? `kind ${this.recording.events.kind[i]}`;
  }
  isImpact(i) {
    return this.kind(i) === 'impact' || this.recording.events.strength[i] > 0;
  }
  name(body) {
    return body === kNone ? '' : this.recording.bodies[body]?.name || `body ${body}`;
  }
  pair(i) {
    const { a, b } = this.recording.events;
    const kind = this.kind(i);
    const joint = this.joint(i);
    const names = joint ? [shorten(joint, 40)] : [a[i], b[i]].filter((body) => body !== kNone).map((body) => shorten(this.name(body), 40));
    return el('span', { class: 'pair' }, kind === 'impact' ? null : el('em', {}, kind.replace(/_/g, ' ')), names.join(' – '));
  }

  /** Name of the joint that broke; null of other events. */
  joint(i) {
    const joint = this.recording.events.joint[i];
    return joint === kNone || joint >= this.recording.joints.count ? null : this.recording.joints.name(joint);
  }

  /** Jumps to an event and shows it. */
  choose(i) {
    this.player.pause();
    this.player.seek(this.recording.events.time[i]);
    this.showImpact(i);
    this.jumped(i);
  }

  /** Goes to the next or the previous event in time. */
  step(by) {
    const { time, count: n } = this.recording.events;
    if (n === 0) return;
    let i = this.list.chosen !== null && time[this.list.chosen] === this.player.time ? this.list.chosen + by : null;
    if (i === null) {
      i = by > 0 ? time.findIndex((t) => t > this.player.time) : n - 1;
      if (by < 0) while (i >= 0 && time[i] >= this.player.time) --i;
    }
    if (i < 0 || i >= n) return;
    this.list.setChosen(i);
    this.choose(i);
  }

  showNothing() {
    const text = this.recording.events.count ? 'Choose an impact to see its numbers and its hodograph.' : '';
    this.detail.replaceChildren(el('p', { class: 'hint' }, text));
  }

  showImpact(i) {
    const { events, hodographs, missing } = this.recording;
    const vector = (array) => Array.from(array.subarray(3 * i, 3 * i + 3), (value) => number(value, 4)).join('  ');
    const facts = [
      ['Kind', this.kind(i)],
      ...(this.joint(i) ? [['Joint', shorten(this.joint(i), 60)]] : []),
      ['Bodies', [events.a[i], events.b[i]].filter((b) => b !== kNone).map((b) => shorten(this.name(b), 60)).join(' – ')],
      ['Time', `${number(events.time[i], 9)} s`],
      ['Point', `${vector(events.point)} m`],
      ['Normal', vector(events.normal)],
      ['Impulse', `${vector(events.impulse)} N s`],
      ['Energy lost', `${number(events.energy[i], 5)} J`],
      ...(events.mu ? [['Friction, restitution', `μ ${brief(events.mu[i], 4)},  e ${brief(events.e?.[i], 4)}  ${events.laws[events.law?.[i]] ?? ''}`]] : []),
    ];
    const table = el('dl', { class: 'facts-list' }, facts.map(([label, text]) => el('div', {}, el('dt', {}, label), el('dd', {}, text))));
    const hodograph = events.hodograph[i] === kNone ? null : hodographs.get(events.hodograph[i]);
    const figures = hodograph
      ? [el('div', { class: 'figures' }, hodographFigure(hodograph, { size: 240 }).element, energyFigure(hodograph, { width: 240, height: 240 }).element), figureLegend([hodograph])]
      : [el('p', { class: 'note' }, this.reason(i, missing))];
    this.detail.replaceChildren(el('h3', {}, `Event ${i + 1} of ${count(events.count)}`), ...figures, table);
    this.detail.dataset.event = String(i);
  }

  reason(i, missing) {
    if (!this.isImpact(i) || this.joint(i)) return 'No hodograph: not an impact.';
    return `No hodograph: ${missing.hodographs ?? 'kept only for the first impacts and those that lost most'}.`;
  }
}

const curveSign = () =>
  svg('svg', { viewBox: '0 0 16 12', class: 'curve-sign', role: 'img', 'aria-label': 'has a hodograph' }, svg('path', { d: 'M1 2c5 0 7 4 7 8M8 10c2-4 4-5 7-5' }));
