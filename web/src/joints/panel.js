// The list of joints and, below it, the chosen one: coordinates within their limits, forces and torques over time.

import { Joints } from '../data/joints.js';
import { Chart } from '../plots/chart.js';
import { el, shorten } from '../ui/dom.js';
import { clock, clockDecimals, number } from '../ui/format.js';
import { TableList } from '../ui/table_list.js';
import { onTheme } from '../ui/theme.js';
import { LimitBar } from './limit_bar.js';

const kAxisNames = {
  move_x: 'Along x', move_y: 'Along y', move_z: 'Along the axis', turn_x: 'Turn about x', turn_y: 'Turn about y', turn_z: 'Turn about the axis',
};
/** What coordinates are called where a kind has better words. */
const kOwnNames = { wheel: { move_z: 'Suspension', turn_y: 'Rolling', turn_z: 'Steering' }, swing_twist: { turn_z: 'Twist' }, point_on_path: { move_z: 'Along the path' } };

const spaced = (kind) => String(kind).replace(/_/g, ' ');

export class JointPanel {
  /**
   * @param {import('../data/recording.js').Recording} recording
   * @param {import('../replay/player.js').Player} player
   * @param {(joint: number | null) => void} selected
   */
  constructor(recording, player, selected) {
    this.recording = recording;
    this.joints = recording.joints;
    this.player = player;
    this.selected = selected;
    this.chosen = null;
    /** @type {Chart[]} */
    this.charts = [];
    /** @type {(() => void)[]} */
    this.live = [];
    this.detail = el('div', { class: 'impact-detail joint-detail' });
    this.list = this.makeList();
    this.element = el('div', { class: 'impacts' }, this.list.element, this.detail);
    this.detail.append(el('p', { class: 'hint' }, 'Choose a joint to see its coordinates, limits, forces and torques.'));
    player.listen((_, what) => what === 'time' && this.follow());
    onTheme(() => this.charts.forEach((chart) => (chart.drawBase(), chart.drawFront())));
  }

  makeList() {
    const { joints, player } = this;
    const most = Array.from({ length: joints.count }, () => null);
    const mostForce = (i) => (most[i] ??= joints.hasNumbers() ? Joints.most(joints.sizes('force', i)) : NaN);
    const decimals = clockDecimals(player.end - player.start, this.recording.interval);
    return new TableList({
      label: 'Joints',
      count: joints.count,
      template: 'minmax(70px, 1.2fr) minmax(74px, 1fr) minmax(90px, 1.7fr) minmax(74px, 0.9fr)',
      empty: 'no joints',
      text: (i) => `${joints.name(i)} ${spaced(joints.list[i].kind)} ${joints.bodies(i).join(' ')} ${joints.brokenTime(i) === null ? '' : 'broken'}`,
      choose: (i) => this.choose(i),
      columns: [
        { name: 'name', label: 'Name', sort: (i) => joints.name(i).toLowerCase(), cell: (i) => shorten(joints.name(i), 60) },
        { name: 'kind', label: 'Kind', sort: (i) => joints.list[i].kind, cell: (i) => spaced(joints.list[i].kind) },
        { name: 'bodies', label: 'Bodies', sort: (i) => joints.bodies(i).join(' ').toLowerCase(), cell: (i) => el('span', { class: 'pair' },
          joints.brokenTime(i) === null ? null : el('em', { title: 'broken' }, `broken ${clock(joints.brokenTime(i), decimals)} s`),
          joints.bodies(i).map((name) => shorten(name, 40)).join(' – ')) },
        { name: 'force', label: 'Most [N]', numeric: true, sort: mostForce, cell: (i) => number(mostForce(i), 3) },
      ],
    });
  }

  /** @param {number | null} joint */
  choose(joint) {
    this.chosen = joint;
    this.list.setChosen(joint);
    this.selected(joint);
    if (joint === null) return;
    this.charts = [];
    this.live = [];
    const { kind } = this.joints.list[joint];
    const breaks = this.joints.brokenTime(joint);
    this.state = el('span', { class: 'joint-state', 'data-field': 'joint.state' });
    this.detail.replaceChildren(
      el('h3', {}, shorten(this.joints.name(joint), 120), ' ', this.state),
      el('p', { class: 'note joint-kind' }, `${spaced(kind)}: ${this.joints.bodies(joint).map((name) => shorten(name, 60)).join(' – ')}`),
      ...this.bars(joint),
      this.numbers(joint),
      ...this.plots(joint));
    this.live.push(() => {
      const isBroken = this.joints.isBroken(joint, this.player.time);
      this.state.textContent = isBroken ? `broken at ${number(breaks, 5)} s` : '';
    });
    this.detail.dataset.joint = String(joint);
    this.charts.forEach((chart) => chart.setWindow([this.player.start, Math.max(this.player.end, this.player.start + 1e-9)]));
    this.follow();
  }

  /** Coordinates between their limits. */
  bars(joint) {
    const desc = this.joints.list[joint];
    const bars = [];
    const add = (options, value) => {
      const bar = new LimitBar(options);
      this.live.push(() => bar.set(this.joints.isBroken(joint, this.player.time) ? NaN : value(this.player.time)));
      bars.push(bar.element);
    };
    if (this.joints.hasNumbers()) {
      (desc.axes ?? []).forEach(({ name, limit }, i) => add({
        name, label: kOwnNames[desc.kind]?.[name] ?? kAxisNames[name] ?? name, unit: name.startsWith('turn') ? 'rad' : 'm', limit, range: this.joints.series('coordinate', joint, i),
      }, (time) => this.joints.at('coordinate', joint, time)[i]));
    }
    if (desc.swing_limit) {
      add({ name: 'swing', label: 'Swing', unit: 'rad', limit: [0, Math.max(...desc.swing_limit.map((value) => value ?? Math.PI))], range: [] }, (time) => this.joints.swing(joint, time));
    }
    if (this.joints.link(joint)) {
      const range = desc.length ? [] : this.sampled((time) => this.joints.length(joint, time));
      add({ name: 'length', label: 'Length', unit: 'm', limit: desc.length ?? [null, null], range }, (time) => this.joints.length(joint, time));
    }
    return bars;
  }

  sampled(value) {
    const stride = Math.max(1, Math.floor(this.recording.frames / 200));
    return Array.from({ length: Math.ceil(this.recording.frames / stride) }, (_, i) => value(this.recording.frameTime[i * stride]));
  }

  /** Live numbers: force, torque, error. */
  numbers(joint) {
    if (!this.joints.hasNumbers()) return el('p', { class: 'note' }, `No forces: ${shorten(this.recording.missing.joint_forces ?? 'the recording has none', 200)}`);
    const { strength } = this.joints.list[joint];
    const row = (label, field, unit, text) => {
      const cell = el('dd', { 'data-field': field });
      this.live.push(() => {
        cell.textContent = this.joints.isBroken(joint, this.player.time) ? '–' : `${text(this.player.time)} ${unit}`;
      });
      return el('div', {}, el('dt', {}, label), cell);
    };
    const size = (name) => (time) => number(Math.hypot(...this.joints.at(name, joint, time)), 4);
    const limit = (value, unit) => (typeof value === 'number' ? `, breaks at ${number(value, 4)} ${unit}` : '');
    const gap = (i) => (time) => number(this.joints.at('error', joint, time)[i], 3);
    return el('dl', { class: 'facts-list' },
      row(`Force on ${shorten(this.joints.bodies(joint)[1], 30)}${limit(strength?.[0], 'N')}`, 'joint.force', 'N', size('force')),
      row(`Torque${limit(strength?.[1], 'N m')}`, 'joint.torque', 'N m', size('torque')),
      row('Gap', 'joint.error', 'm', gap(0)),
      row('Angle off', 'joint.angular_error', 'rad', gap(1)));
  }

  plots(joint) {
    if (!this.joints.hasNumbers() || this.recording.frames < 2) return [];
    const { axes = [] } = this.joints.list[joint];
    const parts = (name) => ['x', 'y', 'z'].map((axis, c) => ({ name: axis, colour: `--axis-${axis}`, values: this.joints.series(name, joint, c) }));
    const plots = [
      { title: 'Force', unit: 'N', series: [{ name: 'size', colour: '--ink', values: this.joints.sizes('force', joint) }, ...parts('force')] },
      { title: 'Torque', unit: 'N m', series: [{ name: 'size', colour: '--ink', values: this.joints.sizes('torque', joint) }, ...parts('torque')] },
      ...axes.map(({ name }, i) => ({
        title: kOwnNames[this.joints.list[joint].kind]?.[name] ?? kAxisNames[name] ?? name, unit: name.startsWith('turn') ? 'rad' : 'm',
        series: [{ name: spaced(name), colour: '--series-1', values: this.joints.series('coordinate', joint, i) }],
      })),
    ];
    this.charts = plots.map((plot) => new Chart({ ...plot, time: this.recording.frameTime, seek: (time) => this.player.seek(time), zoom: () => {} }));
    return this.charts.map((chart) => chart.element);
  }

  follow() {
    if (this.chosen === null) return;
    this.live.forEach((show) => show());
    this.charts.forEach((chart) => chart.setCursor(this.player.time));
  }
}
