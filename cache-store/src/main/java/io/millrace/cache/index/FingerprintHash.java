package io.millrace.cache.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Computes fingerprints by SipHash-2-4 with 128 bits, which is fast on short inputs and collision-resistant while its
 * key is secret. Safe for use by any number of threads.
 *
 * @param key0 the key's first half
 * @param key1 the key's second half
 * @see <a href="https://www.aumasson.jp/siphash/siphash.pdf">SipHash: a fast short-input PRF</a>
 */
public record FingerprintHash(long key0, long key1) {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Returns a hash with a new random key. */
    public static FingerprintHash random() {
        SecureRandom random = new SecureRandom();
        return new FingerprintHash(random.nextLong(), random.nextLong());
    }

    /** Returns the fingerprint of these bytes. */
    public Fingerprint of(byte[] bytes) {
        State state = new State(key0, key1);
        int whole = bytes.length & ~7;
        for (int i = 0; i < whole; i += Long.BYTES) {
            state.word((long) LONG.get(bytes, i));
        }
        long last = (long) bytes.length << 56;
        for (int i = whole; i < bytes.length; i++) {
            last |= (bytes[i] & 0xFFL) << (8 * (i - whole));
        }
        state.word(last);
        return state.end();
    }

    /** Returns the fingerprint of a numbered block of an object version. */
    public Fingerprint of(Fingerprint whole, long number) {
        State state = new State(key0, key1);
        state.word(whole.high());
        state.word(whole.low());
        state.word(number);
        state.word(24L << 56);
        return state.end();
    }

    /** The four state words, which the compiler keeps in registers. */
    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long key0, long key1) {
            v0 = key0 ^ 0x736f6d6570736575L;
            v1 = key1 ^ 0x646f72616e646f6dL ^ 0xee;
            v2 = key0 ^ 0x6c7967656e657261L;
            v3 = key1 ^ 0x7465646279746573L;
        }

        void word(long m) {
            v3 ^= m;
            round();
            round();
            v0 ^= m;
        }

        Fingerprint end() {
            v2 ^= 0xee;
            rounds();
            long first = v0 ^ v1 ^ v2 ^ v3;
            v1 ^= 0xdd;
            rounds();
            return new Fingerprint(first, v0 ^ v1 ^ v2 ^ v3);
        }

        private void rounds() {
            for (int i = 0; i < 4; i++) {
                round();
            }
        }

        private void round() {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
