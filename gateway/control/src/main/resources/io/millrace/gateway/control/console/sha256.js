// SHA-256 and HMAC for pages that the browser gives no WebCrypto: those that came over plain HTTP from another machine.

const BLOCK = 64;

const ROUND = roots(64, 1 / 3);
const START = roots(8, 1 / 2);

// The first 32 bits of the fractions of roots of the first primes.
function roots(count, power) {
  const words = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      prime = prime && candidate % divisor !== 0;
    }
    if (prime) {
      const root = candidate ** power;
      words[found++] = (root - Math.floor(root)) * 2 ** 32;
    }
  }
  return words;
}

const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));

function compress(state, view, offset) {
  const words = new Uint32Array(BLOCK);
  for (let i = 0; i < 16; i++) {
    words[i] = view.getUint32(offset + 4 * i);
  }
  for (let i = 16; i < BLOCK; i++) {
    const old = words[i - 15];
    const late = words[i - 2];
    const low = turn(old, 7) ^ turn(old, 18) ^ (old >>> 3);
    const high = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < BLOCK; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + ROUND[i] + words[i]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
}

// The SHA-256 of bytes, as bytes.
export function sha256(bytes) {
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / BLOCK) + 1) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = Uint32Array.from(START);
  for (let offset = 0; offset < padded.length; offset += BLOCK) {
    compress(state, view, offset);
  }
  const result = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => result.setUint32(4 * i, word));
  return new Uint8Array(result.buffer);
}

// HMAC-SHA256 (RFC 2104) of a message under a key, both bytes.
export function hmac(key, message) {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(join(block.map((byte) => byte ^ 0x36), message));
  return sha256(join(block.map((byte) => byte ^ 0x5c), inner));
}

function join(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
