// The plots of a run, one below the other, all with the same axis of time.

import { el } from '../ui/dom.js';
import { onTheme } from '../ui/theme.js';
import { Chart } from './chart.js';

const kLedgerColours = ['--series-5', '--series-6', '--series-7', '--series-8'];

/** @param {import('../data/recording.js').Recording} recording */
function plotsOf(recording) {
  const { arrays } = recording;
  const get = (name) => arrays.get(name);
  const series = (name, array, colour, more = {}) => (get(array) ? [{ name, colour, values: get(array), ...more }] : []);
  const energies = [
    ...series('translation', 'kinetic_translation', '--series-2'),
    ...series('rotation', 'kinetic_rotation', '--series-3'),
    ...series('potential', 'potential', '--series-4'),
  ];
  if (energies.length === 3) {
    const [a, b, c] = energies.map(({ values }) => values);
    energies.unshift({ name: 'total', colour: '--ink', values: Float64Array.from(a, (value, i) => value + b[i] + c[i]) });
  }
  const total = energies.length === 4 ? energies[0].values : null;
  // Where both lie on each other, every joule is explained.
  const explained = get('ledger') && total
    ? [
        { name: 'change of the total', colour: '--ink', values: Float64Array.from(total, (value) => value - total[0]) },
        { name: 'explained', colour: '--series-3', values: get('ledger'), dashed: true },
      ]
    : [];
  const entries = arrays
    .names()
    .filter((name) => name.startsWith('ledger_'))
    .flatMap((name, i) => series(name.slice(7).replace(/_/g, ' '), name, kLedgerColours[i % kLedgerColours.length], { dashed: i >= 4 }));
  const vector = (stem) => ['x', 'y', 'z'].flatMap((c, i) => series(c, `${stem}_${c}`, `--axis-${'xyz'[i]}`));
  return [
    { title: 'Energy', unit: 'J', missing: 'energy', series: energies },
    { title: 'Ledger', unit: 'J', missing: 'ledger', series: [...explained, ...entries] },
    { title: 'Energy error', unit: 'relative', log: true, missing: 'energy_error', series: series('error', 'energy_error', '--series-1') },
    { title: 'Linear momentum', unit: 'N s', missing: 'momentum', series: vector('linear') },
    { title: 'Angular momentum', unit: 'N m s', missing: 'momentum', series: vector('angular') },
    { title: 'Height', unit: 'm', missing: 'height', series: series('centre of mass', 'height', '--series-1') },
    { title: 'Penetration', unit: 'm', missing: 'penetration', series: series('deepest', 'penetration', '--series-1') },
  ];
}

export class PlotPanel {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('../replay/player.js').Player} player
   */
  constructor(recording, player) {
    /** @type {Chart[]} */
    this.charts = [];
    this.element = el('div', { class: 'plots' });
    const time = recording.arrays.get('energy_time');
    for (const plot of plotsOf(recording)) {
      if (plot.series.length === 0 || !time || time.length === 0) {
        const reason = recording.missing[plot.missing] ?? 'this recording does not hold it';
        this.element.append(
          el('section', { class: 'chart absent', 'aria-disabled': 'true', title: reason }, el('h3', {}, plot.title), el('p', {}, `Not shown: ${reason}`)),
        );
        continue;
      }
      const chart = new Chart({ ...plot, time, seek: (t) => player.seek(t) });
      this.charts.push(chart);
      this.element.append(chart.element);
    }
    // What is not there goes to the end.
    this.element.append(...this.element.querySelectorAll('.absent'));
    this.full = [player.start, player.end];
    this.charts.forEach((chart) => chart.setWindow(this.full));
    player.listen((_, what) => what === 'time' && this.charts.forEach((chart) => chart.setCursor(player.time)));
    onTheme(() => this.charts.forEach((chart) => (chart.drawBase(), chart.drawFront())));
  }
}
