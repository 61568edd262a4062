// The plots of a run, one below the other, all with the same axis of time.

import { iconButton } from '../ui/controls.js';
import { el, shorten } from '../ui/dom.js';
import { brief } from '../ui/format.js';
import { onTheme } from '../ui/theme.js';
import { Chart } from './chart.js';

const kLedgerColours = ['--series-5', '--series-6', '--series-7', '--series-8', '--series-2', '--series-3'];

/** Rows whose times are numbers and do not go back: what a damaged recording has besides cannot be drawn over time. */
function usableRows(time) {
  const rows = [];
  let last = -Infinity;
  for (let i = 0; i < time.length; ++i) {
    if (!Number.isFinite(time[i]) || time[i] < last) continue;
    rows.push(i);
    last = time[i];
  }
  return rows;
}

/** A column with the times at which it is known: what is measured at every so many frames is a curve all the same. */
function knownRows(time, values) {
  const rows = Array.from(values.keys()).filter((i) => Number.isFinite(values[i]));
  const pick = (column) => Float64Array.from(rows, (i) => column[i]);
  return { time: pick(time), values: pick(values) };
}

/**
 * @param {import('../data/recording.js').Recording} recording
 * @returns {{time: ArrayLike<number>, plots: any[]}}
 */
function plotsOf(recording) {
  const { arrays } = recording;
  const allTimes = arrays.get('energy_time') ?? new Float64Array(0);
  const rows = usableRows(allTimes);
  const usable = (values) => (rows.length === allTimes.length || !values ? values : Float64Array.from(rows, (i) => values[i]));
  const columns = new Map();
  const get = (name) => {
    if (!columns.has(name)) columns.set(name, usable(arrays.get(name)));
    return columns.get(name);
  };
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
  const entries = arrays
    .names()
    .filter((name) => name.startsWith('ledger_'))
    .flatMap((name, i) => series(name.slice(7).replace(/_/g, ' '), name, kLedgerColours[i % kLedgerColours.length], { dashed: i >= kLedgerColours.length }));
  if (energies.length === 4 && entries.length) entries.push(unexplained(energies[0].values, entries));
  const vector = (stem) => ['x', 'y', 'z'].flatMap((c, i) => series(c, `${stem}_${c}`, `--axis-${'xyz'[i]}`));
  const [deepest] = series('deepest', 'penetration', '--series-1');
  const known = deepest && knownRows(get('energy_time'), deepest.values);
  const penetration = known ? { time: known.time, series: [{ ...deepest, values: known.values }] } : { series: [] };
  const plots = [
    { title: 'Energy', unit: 'J', missing: 'energy', series: energies },
    { title: 'Ledger', unit: 'J', missing: 'ledger', series: entries },
    { title: 'Energy error', unit: 'relative', log: true, missing: 'energy_error', series: series('error', 'energy_error', '--series-1') },
    { title: 'Linear momentum', unit: 'N s', missing: 'momentum', series: vector('linear') },
    { title: 'Angular momentum', unit: 'N m s', missing: 'momentum', series: vector('angular') },
    { title: 'Height', unit: 'm', missing: 'height', series: series('centre of mass', 'height', '--series-1') },
    { title: 'Penetration', unit: 'm', missing: 'penetration', ...penetration },
    ...counts(series, recording),
  ];
  return { time: get('energy_time') ?? allTimes, plots };
}

/** What no entry explains: of a run that went well, rounding. */
function unexplained(total, entries) {
  const rest = Float64Array.from(total, (value, i) => entries.reduce((sum, { values }) => sum + values[i], value - total[0]));
  return { name: 'unexplained', colour: '--ink', values: rest };
}

/** Numbers that only the real-time stepper has: no plot without them. */
function counts(series, recording) {
  const contacts = series('pairs', 'contact_count', '--series-1');
  const awake = series('awake', 'awake_count', '--series-3');
  const bonds = series('bonds', 'bond_count', '--series-1');
  const stress = series('most loaded', 'bond_utilisation', '--series-2');
  const dynamic = recording.bodies.filter(({ type }) => type === 'dynamic').length;
  const asleep = awake.map(({ values }) => ({ name: 'asleep', colour: '--series-2', values: Float64Array.from(values, (value) => dynamic - value) }));
  return [
    ...(contacts.length ? [{ title: 'Contacts', unit: '', missing: 'contacts', series: contacts }] : []),
    ...(awake.length ? [{ title: 'Awake and asleep', unit: 'bodies', missing: 'sleep', series: [...awake, ...asleep] }] : []),
    ...(bonds.length ? [{ title: 'Bonds', unit: 'not broken', missing: 'bonds', series: bonds }] : []),
    ...(stress.length ? [{ title: 'Bond stress', unit: 'of strength', missing: 'bonds', series: stress }] : []),
  ];
}

/** No more than this share of the recording can be spread over the axis. */
const kMostZoom = 20000;

export class PlotPanel {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('../replay/player.js').Player} player
   */
  constructor(recording, player) {
    this.player = player;
    this.full = [player.start, player.end > player.start ? player.end : player.start + 1];
    this.window = this.full;
    /** @type {Chart[]} */
    this.charts = [];
    const absent = [];
    const { time, plots } = plotsOf(recording);
    for (const plot of plots) {
      if (plot.series.length === 0 || time.length === 0) {
        absent.push(absentPlot(plot.title, recording.missing[plot.missing] ?? 'this recording does not hold it'));
      } else {
        this.charts.push(new Chart({ time, ...plot, seek: (t) => player.seek(t), zoom: (factor, about) => this.zoom(factor, about) }));
      }
    }
    this.span = el('span', { role: 'status' });
    const axis = el('div', { class: 'time-axis', role: 'group', 'aria-label': 'Time axis' }, this.span,
      iconButton('minus', 'More time on the axis', 'X', () => this.zoom(1 / 4)), iconButton('plus', 'Less time on the axis', 'Z', () => this.zoom(4)));
    this.element = el('div', { class: 'plots' }, this.charts.length ? axis : null, this.charts.map((chart) => chart.element), absent);
    this.setWindow(this.full);
    player.listen((_, what) => what === 'time' && this.follow());
    onTheme(() => this.charts.forEach((chart) => (chart.drawBase(), chart.drawFront())));
  }

  setWindow(window) {
    this.window = window;
    this.span.textContent = `${brief(window[1] - window[0], 3)} s on the axis`;
    this.charts.forEach((chart) => chart.setWindow(window));
  }

  /** @param {number} factor above 1: finer @param {number} about the moment that stays where it is */
  zoom(factor, about = this.player.time) {
    const whole = this.full[1] - this.full[0];
    const length = Math.min(Math.max((this.window[1] - this.window[0]) / factor, whole / kMostZoom), whole);
    const share = Math.min(Math.max((about - this.window[0]) / (this.window[1] - this.window[0]), 0), 1);
    this.showFrom(about - share * length, length);
  }

  showFrom(start, length) {
    const first = Math.min(Math.max(start, this.full[0]), this.full[1] - length);
    this.setWindow([first, first + length]);
  }

  /** Moves the cursors; turns the page when the moment leaves the axis. */
  follow() {
    const { time } = this.player;
    const length = this.window[1] - this.window[0];
    if (time < this.window[0] || time > this.window[1]) this.showFrom(time - 0.15 * length, length);
    this.charts.forEach((chart) => chart.setCursor(time));
  }
}

const absentPlot = (title, reason) =>
  el('section', { class: 'chart absent', 'aria-disabled': 'true', title: reason }, el('h3', {}, title), el('p', {}, `Not shown: ${shorten(reason, 300)}`));
