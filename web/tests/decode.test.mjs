// The decoder against arrays whose bytes are written down by hand, and against the encoder of the fixtures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { bytesFromBase64, decodeArrays, joinPlanes, undoPrediction } from '../src/data/decode.js';
import { encode, plain, predicted } from './fixtures/encode.mjs';

test('base64 is decoded with and without padding and white space', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd', 'x'.repeat(300000)]) {
    const base64 = Buffer.from(text).toString('base64');
    assert.equal(Buffer.from(bytesFromBase64(base64)).toString(), text);
    assert.equal(Buffer.from(bytesFromBase64(base64.replace(/(.{76})/g, '$1\n'))).toString(), text);
  }
});

function undone(bytes, Kind, frames, order) {
  const n = joinPlanes(Uint8Array.from(bytes), bytes.length / Kind.BYTES_PER_ELEMENT, Kind);
  undoPrediction(n, frames, order);
  return [...n];
}

test('a prediction of order 1 adds up modulo 65536', () => {
  // Residuals 10, −1, −1, −6 as low bytes, then high bytes; n = 10, 9, 8, 2.
  assert.deepEqual(undone([10, 0xff, 0xff, 0xfa, 0, 0xff, 0xff, 0xff], Uint16Array, 4, 1), [10, 9, 8, 2]);
});

test('a prediction of order 2 continues a straight line, and starts anew in each row', () => {
  // n = 5, 15, 25, 35: residuals 5, 15 − 2·5 = 5, 25 − (2·15 − 5) = 0, 0. What lies before the first is 0.
  const row = [5, 5, 0, 0];
  assert.deepEqual(undone([...row, ...row, 0, 0, 0, 0, 0, 0, 0, 0], Uint16Array, 4, 2), [5, 15, 25, 35, 5, 15, 25, 35]);
});

test('a prediction of order 0 is the number itself', () => {
  assert.deepEqual(undone([1, 0xff, 2, 0xff], Uint16Array, 2, 0), [0x201, 65535]);
});

test('numbers of 32 bits have four planes and the modulus 2³²', () => {
  const planes = (words) => [0, 8, 16, 24].flatMap((shift) => words.map((word) => (word >>> shift) & 0xff));
  assert.deepEqual(undone(planes([3000000000, 0xffffffff, 0xffffffff]), Uint32Array, 3, 1), [3000000000, 2999999999, 2999999998]);
  // 2 · 3000000000 + 1 − 2³² = 1705032705; 2 · 1705032705 − 3000000000 = 410065410.
  assert.deepEqual(undone(planes([3000000000, 1, 0]), Uint32Array, 3, 2), [3000000000, 1705032705, 410065410]);
});

for (const [order, bits] of [[0, 16], [1, 16], [2, 16], [1, 32], [2, 32]]) {
  test(`quantised numbers of order ${order} in ${bits} bits come back to half a step, and NaN as NaN`, async () => {
    const value = (b, c, k) => (b === 1 && k === 7 ? NaN : (b + 1) * Math.sin(0.3 * k + c) * 10 ** (c - 1));
    const { header, base64 } = encode({}, { odd: plain('u8', [3], [1, 2, 3]), x: predicted([2, 3, 50], value, order, bits) });
    const x = (await decodeArrays(header, base64)).get('x');
    for (let b = 0; b < 2; ++b) {
      for (let c = 0; c < 3; ++c) {
        for (let k = 0; k < 50; ++k) {
          if (b === 1 && k === 7) assert.ok(Number.isNaN(x.at(b, c, k)));
          else assert.ok(Math.abs(x.at(b, c, k) - value(b, c, k)) <= 0.5001 * x.step[b * 3 + c] + 4e-15);
        }
      }
    }
  });
}

test('plain arrays keep their bits', async () => {
  const numbers = [Math.PI, -0, 1e-300, NaN, Infinity];
  const { header, base64 } = encode({}, {
    a: plain('u8', [3], [1, 2, 255]),
    b: plain('f64', [5], numbers),
    c: plain('u32', [2], [0, 4294967295]),
    d: plain('f32', [1], [1.5]),
    e: plain('u16', [1], [65535]),
    f: plain('i32', [1], [-7]),
  });
  const arrays = await decodeArrays(header, base64);
  assert.deepEqual([...arrays.get('a')], [1, 2, 255]);
  numbers.forEach((value, i) => assert.ok(Object.is(arrays.get('b')[i], value)));
  assert.deepEqual([...arrays.get('c')], [0, 4294967295]);
  assert.deepEqual([...arrays.get('d'), ...arrays.get('e'), ...arrays.get('f')], [1.5, 65535, -7]);
  assert.equal(arrays.get('none'), null);
  assert.equal(arrays.has('toString'), false);
});

test('a file that is cut off, or longer than its header tells, is refused by name', async () => {
  const { header, base64 } = encode({}, { a: plain('f64', [100], Array(100).fill(1)) });
  const short = deflateSync(Buffer.alloc(400)).toString('base64');
  await assert.rejects(decodeArrays(header, short), /400 bytes, but the header tells 800/);
  const long = deflateSync(Buffer.alloc(4000)).toString('base64');
  await assert.rejects(decodeArrays(header, long), /more than the 800 bytes/);
  await assert.rejects(decodeArrays(header, base64.slice(0, 20)));
  const wrong = { arrays: { a: { ...header.arrays.a, shape: [99] } } };
  const arrays = await decodeArrays(wrong, base64);
  assert.throws(() => arrays.get('a'), /arrays\.a: 800 bytes for 99 numbers/);
});
