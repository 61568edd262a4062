// From the two script elements of a report to typed arrays; see docs/report_format.md.

/**
 * @typedef {{type: string, shape: number[], offset: number, bytes: number,
 *            coding?: {kind: string, order?: number, low?: number[], step?: number[]} | null}} ArrayEntry
 */

/**
 * @param {string} text base64; white space is allowed
 * @returns {Uint8Array}
 */
export function bytesFromBase64(text) {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(clean);
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array(Math.floor((clean.length * 3) / 4) - padding);
  // In pieces, so that the intermediate string stays small; a multiple of 4 characters is whole bytes.
  const piece = 1 << 18;
  let at = 0;
  for (let start = 0; start < clean.length; start += piece) {
    const binary = atob(clean.slice(start, start + piece));
    for (let i = 0; i < binary.length; ++i) bytes[at++] = binary.charCodeAt(i);
  }
  return bytes;
}

/**
 * @param {Uint8Array} bytes zlib stream
 * @param {number} expected size of the result in bytes, known from the header
 * @returns {Promise<Uint8Array>}
 */
export async function inflate(bytes, expected) {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  // Faults of the data reach the reader below; here they would only be told a second time.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  // The last array may be padded to a multiple of 8 as the others are.
  const out = new Uint8Array(expected + 7);
  const reader = stream.readable.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > out.length) throw new Error(`data: more than the ${expected} bytes that the header tells`);
    out.set(value, at);
    at += value.length;
  }
  if (at < expected) throw new Error(`data: ${at} bytes, but the header tells ${expected}`);
  return out.subarray(0, at);
}

const kPlain = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  i32: Int32Array,
};

/** @param {number[]} shape */
const countOf = (shape) => shape.reduce((product, n) => product * n, 1);

/**
 * Numbers kept as 16-bit (or 32-bit) multiples of a step, by rows [body][component][frame]; they stay quantised in
 * memory, since a long recording of many bodies would otherwise take four times as much.
 */
export class Quantised {
  /**
   * @param {Uint16Array | Uint32Array} n
   * @param {number[]} shape [bodies, components, frames]
   * @param {number[]} low
   * @param {number[]} step
   */
  constructor(n, shape, low, step) {
    this.n = n;
    /** Stands for a number that is not finite. */
    this.notFinite = n instanceof Uint16Array ? 0xffff : 0xffffffff;
    [this.bodies, this.components, this.frames] = shape;
    this.low = Float64Array.from(low, (value) => value ?? NaN);
    this.step = Float64Array.from(step, (value) => value ?? NaN);
  }
  /** @returns {number} NaN for what was not finite */
  at(body, component, frame) {
    const row = body * this.components + component;
    const n = this.n[row * this.frames + frame];
    return n === this.notFinite ? NaN : this.low[row] + this.step[row] * n;
  }
}

/**
 * Undoes the prediction: n_k from residuals r_k in arithmetic modulo 2^16 or 2^32, which the typed array does by itself.
 * @param {Uint16Array | Uint32Array} n residuals, replaced by the numbers
 * @param {number} frames length of a row; each starts anew
 * @param {number} order 0, 1 or 2
 */
export function undoPrediction(n, frames, order) {
  if (order === 0) return;
  for (let start = 0; start < n.length; start += frames) {
    let last = 0;
    let beforeLast = 0;
    for (let k = start; k < start + frames; ++k) {
      n[k] += order === 1 ? last : 2 * last - beforeLast;
      beforeLast = last;
      last = n[k];
    }
  }
}

/** Numbers whose low bytes come all first, then the next higher ones. @param {Uint8Array} bytes */
export function joinPlanes(bytes, count, Kind) {
  const n = new Kind(count);
  for (let k = 0; k < count; ++k) n[k] = bytes[k] | (bytes[count + k] << 8);
  if (n.BYTES_PER_ELEMENT === 4) for (let k = 0; k < count; ++k) n[k] |= (bytes[2 * count + k] << 16) | (bytes[3 * count + k] << 24);
  return n;
}

/** @param {string} name @param {ArrayEntry} entry @param {Uint8Array} data */
function decodeArray(name, entry, data) {
  const { type, shape, offset, bytes, coding } = entry;
  const count = countOf(shape);
  if (offset + bytes > data.length) throw new Error(`arrays.${name}: ends beyond the data`);
  if (coding) {
    const Whole = { i16: Uint16Array, i32: Uint32Array }[type];
    if (coding.kind !== 'predicted' || !Whole) throw new Error(`arrays.${name}: unknown coding`);
    if (bytes !== Whole.BYTES_PER_ELEMENT * count) throw new Error(`arrays.${name}: ${bytes} bytes for ${count} numbers`);
    const n = joinPlanes(data.subarray(offset, offset + bytes), count, Whole);
    undoPrediction(n, shape[2], coding.order);
    return new Quantised(n, shape, coding.low, coding.step);
  }
  const Kind = kPlain[type];
  if (!Kind) throw new Error(`arrays.${name}: unknown type ${type}`);
  if (bytes !== count * Kind.BYTES_PER_ELEMENT) throw new Error(`arrays.${name}: ${bytes} bytes for ${count} numbers`);
  return new Kind(data.buffer, data.byteOffset + offset, count);
}

/** The arrays of a report by name, decoded when first asked for (velocities of many bodies often never are). */
export class Arrays {
  /** @param {Record<string, ArrayEntry>} entries @param {Uint8Array} data */
  constructor(entries, data) {
    this.entries = entries;
    this.data = data;
    this.decoded = new Map();
  }
  has(name) {
    return Object.hasOwn(this.entries, name);
  }
  names() {
    return Object.keys(this.entries);
  }
  /** @returns {any} typed array or Quantised; null if the report has no such array */
  get(name) {
    if (!this.has(name)) return null;
    if (!this.decoded.has(name)) this.decoded.set(name, decodeArray(name, this.entries[name], this.data));
    return this.decoded.get(name);
  }
}

/**
 * @param {any} header
 * @param {string} base64
 * @returns {Promise<Arrays>}
 */
export async function decodeArrays(header, base64) {
  const entries = header.arrays ?? {};
  let size = 0;
  for (const entry of Object.values(entries)) size = Math.max(size, entry.offset + entry.bytes);
  if (size === 0) return new Arrays(entries, new Uint8Array(0));
  return new Arrays(entries, await inflate(bytesFromBase64(base64), size));
}
