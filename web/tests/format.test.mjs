// Numbers as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStep } from '../src/ui/format.js';

test('no decimal is finer than the step that the file knows', () => {
  // 20 m/s in 65534 steps: 10 is kept as 10.0002.
  assert.equal(toStep(10.0002, 20 / 65534), '10.000');
  assert.equal(toStep(1.23456, 1e-3), '1.235');
  assert.equal(toStep(1.23456, 0.9e-3), '1.235');
  assert.equal(toStep(1.23456, 1.1e-3), '1.23');
  assert.equal(toStep(123.4, 3), '123');
});

test('what cannot be told from 0 is 0, without a sign', () => {
  assert.equal(toStep(-1e-5, 2e-5), '0.0000');
  assert.equal(toStep(-0, 1e-3), '0.000');
  assert.equal(toStep(-0.4e-3, 1e-3), '0.000');
  assert.equal(toStep(-1e-11, 2.1e-11), '0');
  assert.equal(toStep(-0.6e-3, 1e-3), '\u22120.001');
});

test('what is not known is a dash', () => {
  assert.equal(toStep(NaN, 1), '–');
  assert.equal(toStep(null, 1), '–');
});
