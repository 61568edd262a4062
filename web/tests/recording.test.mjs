// States, velocities and energies of a recording against closed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeArrays } from '../src/data/decode.js';
import { sampleAt } from '../src/data/hodographs.js';
import { lastAtOrBefore, Recording, rotate } from '../src/data/recording.js';
import { encode, plain } from './fixtures/encode.mjs';
import { bare, bounce, hostile, impact, kG, thrown } from './fixtures/samples.mjs';

async function read(sample) {
  const { header, base64 } = encode(sample.header, sample.arrays);
  return new Recording(JSON.parse(JSON.stringify(header)), await decodeArrays(header, base64));
}
const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} within ${tolerance}`);

test('search finds the last entry that is not greater', () => {
  const sorted = Float64Array.from([0, 1, 1, 3]);
  assert.deepEqual([-1, 0, 0.5, 1, 2.9, 3, 9].map((value) => lastAtOrBefore(sorted, value)), [-1, 0, 0, 2, 2, 3, 3]);
  assert.equal(lastAtOrBefore([], 1), -1);
});

test('a quaternion turns as it should: 90° about z takes x to y', () => {
  const half = Math.SQRT1_2;
  rotate([half, 0, 0, half], [1, 0, 0]).forEach((value, i) => near(value, [0, 1, 0][i], 1e-15));
});

test('at a frame the state is the recorded one to half a step', async () => {
  const sample = thrown();
  const recording = await read(sample);
  const { closed } = sample;
  for (const k of [0, 1, 100, 333, 600]) {
    for (const [body, row] of [[1, 0], [2, 1], [3, 2]]) {
      const state = recording.state(body, closed.time[k]);
      for (const [name, f] of [['x', closed.x], ['q', closed.q], ['v', closed.v], ['w', closed.w]]) {
        state[name].forEach((value, c) => near(value, f(row, c, k), 0.51 * recording.resolution(body, name) + (name === 'q' ? 2e-5 : 1e-12)));
      }
    }
  }
});

test('between frames the state is straight between them; outside, that of the first or the last', async () => {
  const recording = await read(thrown());
  const [a, b] = [recording.state(2, recording.frameTime[10]), recording.state(2, recording.frameTime[11])];
  const middle = recording.state(2, (recording.frameTime[10] + recording.frameTime[11]) / 2);
  middle.x.forEach((value, c) => near(value, (a.x[c] + b.x[c]) / 2, 1e-12));
  near(Math.hypot(...middle.q), 1, 1e-15);
  assert.deepEqual(recording.state(2, -5), recording.state(2, 0));
  assert.deepEqual(recording.state(2, 99), recording.state(2, recording.end));
});

test('velocities are never those between before and after an impact', async () => {
  const sample = thrown();
  const recording = await read(sample);
  const { hits } = sample.closed;
  const step = recording.resolution(1, 'v');
  for (const hit of hits) {
    const speed = Math.sqrt(2 * kG * 2);
    for (const [t, sign, side] of [[hit - 1e-6, -1, 'before'], [hit, 1, 'after'], [hit + 1e-6, 1, 'after']]) {
      const state = recording.state(1, t);
      near(state.v[2], sign * speed, 3 * step + 1e-4);
      assert.equal(state.side, side);
    }
    // The box had no impact.
    assert.equal(recording.state(2, hit).side, null);
  }
  assert.equal(recording.state(1, (recording.frameTime[10] + recording.frameTime[11]) / 2).side, null);
});

test('an impact within the first or the last interval takes the value of its frame', async () => {
  const sample = thrown({ frames: 3 });
  const { time } = sample.closed;
  sample.arrays.event_time = plain('f64', [2], [0.5 * time[1], time[1] + 0.5 * (time[2] - time[1])]);
  for (const [name, type, values] of [['event_a', 'u32', [0, 0]], ['event_b', 'u32', [1, 1]], ['event_kind', 'u8', [0, 0]]]) sample.arrays[name] = plain(type, [2], values);
  const recording = await read(sample);
  assert.deepEqual(recording.state(1, 0.3 * time[1]).v, recording.state(1, 0).v);
  assert.deepEqual(recording.state(1, 0.8 * time[1]).v, recording.state(1, time[1]).v);
  assert.deepEqual(recording.state(1, 0.01 * time[1] + 0.99 * time[2]).v, recording.state(1, time[2]).v);
});

test('where events were left out, velocities are those of the frame before', async () => {
  const sample = thrown();
  sample.header.events.all += 5;
  const recording = await read(sample);
  const t = 0.4 * recording.frameTime[10] + 0.6 * recording.frameTime[11];
  assert.deepEqual(recording.state(1, t).v, recording.state(1, recording.frameTime[10]).v);
  assert.equal(recording.state(1, t).side, 'frame');
});

test('kinetic energy: ½mv² and ½Iω² about the axis of the spin', async () => {
  const recording = await read(thrown());
  const t = recording.frameTime[240];
  const { translation, rotation } = recording.kinetic(2, recording.state(2, t));
  near(translation, 0.5 * 2 * (0.4 ** 2 + 0.2 ** 2 + (kG - kG * t) ** 2), 2e-3);
  near(rotation, 0.5 * 0.4 * 9, 1e-9);
  assert.deepEqual(recording.kinetic(0, recording.state(0, t)), { translation: null, rotation: null });
});

test('without velocities, differences of positions and attitudes take their place', async () => {
  const recording = await read(bare());
  const k = 300;
  const state = recording.state(2, recording.frameTime[k]);
  // Central differences of a parabola are exact; what remains is the step of the positions over two frames.
  const rounding = recording.resolution(2, 'x') / (2 / 300);
  [0.4, 0.2, kG - kG * recording.frameTime[k]].forEach((value, c) => near(state.v[c], value, 1.01 * rounding));
  [0, 0, 3].forEach((value, c) => near(state.w[c], value, 0.02));
  assert.equal(recording.hasVelocities(), false);
});

test('what was not finite stays so and spoils nothing else', async () => {
  const recording = await read(hostile());
  const t = recording.frameTime[300];
  assert.ok(recording.state(2, t).x.every(Number.isNaN));
  near(recording.state(1, t).x[2], 0.5 + bounce(2, t).z, 1e-4);
  const poses = new Float32Array(21);
  recording.poses(t, poses);
  assert.ok(Number.isNaN(poses[7]) && Number.isFinite(poses[0]) && Number.isFinite(poses[14]));
});

test('the last place of a body is that of the last frame that knows it', async () => {
  const sample = hostile();
  const recording = await read(sample);
  assert.deepEqual(recording.lastPlace(2, 1.9), recording.state(2, recording.frameTime[200]).x);
  assert.deepEqual(recording.lastPlace(2, 0.1), recording.state(2, 0.1).x);
});

test('a body that stands is where the header says, with its centre of mass', async () => {
  const sample = thrown();
  Object.assign(sample.header.bodies[0], { position: [1, 2, 3], rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2], center_of_mass: [1, 0, 0] });
  const { x } = (await read(sample)).state(0, 1);
  [1, 3, 3].forEach((value, c) => near(x[c], value, 1e-12));
});

test('hodographs keep their samples, marks and directions', async () => {
  const sample = impact();
  const recording = await read(sample);
  sample.closed.paths.forEach((path, k) => {
    const read = recording.hodographs.get(k);
    assert.equal(read.samples.length, path.samples.length);
    assert.equal(read.rays.length, path.rays.length);
    assert.deepEqual(read.marks.map((mark) => mark.code), path.marks.map((mark) => 'slcr'[mark[5]]));
    path.samples.forEach((row, i) => near(read.samples[i].vz, row[2], 1e-6 * Math.abs(row[2]) + 1e-9));
    // v = v⁻ + W I holds at every sample.
    const { W, v } = sample.header.cases[k].problem;
    for (const p of read.samples) near(v[2] + W[2][0] * p.I[0] + W[2][1] * p.I[1] + W[2][2] * p.I[2], p.vz, 1e-5);
  });
  assert.equal(recording.hodographs.get(99), null);
});

test('along a path the moment is between two samples, and after the loss at a jump', () => {
  const at = (Iz, E) => ({ vx: 2 * Iz, vy: 0, vz: 0, Iz, E, I: [0, 0, Iz] });
  const samples = [at(0, 0), at(1, 4), at(1, 3), at(2, 1)];
  assert.equal(sampleAt(samples, 0.25).E, 1);
  assert.equal(sampleAt(samples, 1).E, 3);
  assert.equal(sampleAt(samples, 1.5).E, 2);
  assert.equal(sampleAt(samples, 9).Iz, 2);
  assert.equal(sampleAt([], 1), null);
});
