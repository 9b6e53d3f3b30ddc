package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Feeds damaged bodies, split at arbitrary places, to the decoder. Every body ends with the announced bytes or a
 * {@link RequestVerificationException}; the decoder emits only bytes that were sent and leaks no buffer.
 * {@code bench/fuzz.sh} runs it by the million.
 */
class PayloadFuzzTest {
    private static final int INPUTS = 50_000;
    private static final int LENGTH = 300;
    private static final String CRC = "x-amz-checksum-crc32";
    private static final String PIECES = "\r\n0;a=\r\n\r\nffffchunk-signature=:" + CRC + ":x-amz-trailer-signature:=";

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final byte[] payload = new byte[LENGTH];

    @Test
    void damagedBodiesAreRefused() throws Exception {
        run(INPUTS, 11);
    }

    private void run(int inputs, long seed) throws RequestVerificationException {
        Random random = new Random(seed);
        random.nextBytes(payload);
        Upload signed = upload(new PayloadType.SignedChunks(true));
        Upload unsigned = upload(new PayloadType.UnsignedChunksWithTrailer());
        Authentication.Signed who = (Authentication.Signed) signed.authentication();
        Authentication other = unsigned.authentication();
        byte[] signedWire = wire(who.chunkSeed().orElseThrow());
        byte[] unsignedWire = wire(null);
        int whole = 0;
        for (int i = 0; i < inputs; i++) {
            boolean one = random.nextBoolean();
            byte[] right = one ? signedWire : unsignedWire;
            byte[] wire = random.nextInt(50) == 0 ? right : damaged(right, random);
            boolean changed = !Arrays.equals(wire, right);
            PayloadVerifier reader = PayloadVerifier.of(
                    one ? who : other, PayloadHeaders.of(one ? signed : unsigned), PayloadLimits.defaults());
            boolean read = decode(reader, wire, random, "seed " + seed + ", input " + i);
            // A signed body has one form, but for the case and white space around its trailer's name; an unsigned one
            // some.
            assertThat(read || changed).as("seed %d, input %d", seed, i).isTrue();
            whole += read ? 1 : 0;
        }
        assertThat(whole).isBetween(inputs / 100, inputs / 5);
    }

    private boolean decode(PayloadVerifier reader, byte[] wire, Random random, String which) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        VerifyingBodyDecoder decoder = reader.decoder();
        boolean right = false;
        try {
            for (int at = 0; at < wire.length; ) {
                int length = Math.min(wire.length - at, 1 + random.nextInt(random.nextInt(4) == 0 ? 3 : 400));
                decoder.read(allocator.heapBuffer(length).writeBytes(wire, at, length));
                at += length;
                take(decoder, out);
                assertThat(out.size()).as(which).isLessThan(LENGTH);
            }
            decoder.end();
            take(decoder, out);
            right = true;
            assertThat(out.toByteArray()).as(which).isEqualTo(payload);
        } catch (RequestVerificationException e) {
            assertThat(out.size()).as(which).isLessThan(LENGTH);
        } finally {
            decoder.release();
        }
        assertThat(allocator.metric().usedHeapMemory()).as(which).isZero();
        return right;
    }

    private static void take(VerifyingBodyDecoder decoder, ByteArrayOutputStream out) {
        for (ByteBuf piece = decoder.poll(); piece != null; piece = decoder.poll()) {
            while (piece.isReadable()) {
                out.write(piece.readByte());
            }
            piece.release();
        }
    }

    private static byte[] damaged(byte[] right, Random random) {
        byte[] wire = right.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(wire.length);
            switch (random.nextInt(6)) {
                case 0 -> wire[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> wire[at] = (byte) PIECES.charAt(random.nextInt(PIECES.length()));
                case 2 -> wire = joined(wire, at, new byte[0], at + random.nextInt(wire.length - at) / 8 + 1);
                case 3 -> wire = joined(wire, at, piece(random), at);
                case 4 -> wire = joined(wire, at, Arrays.copyOfRange(wire, at, Math.min(wire.length, at + 90)), at);
                default -> wire = Arrays.copyOf(wire, Math.max(1, at));
            }
        }
        return wire;
    }

    private static byte[] piece(Random random) {
        int from = random.nextInt(PIECES.length());
        int to = from + random.nextInt(PIECES.length() - from) + 1;
        return PIECES.substring(from, Math.min(to, PIECES.length())).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] joined(byte[] wire, int to, byte[] middle, int from) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.write(wire, 0, to);
        joined.writeBytes(middle);
        joined.write(wire, from, wire.length - from);
        return joined.size() == 0 ? new byte[] {'0'} : joined.toByteArray();
    }

    private static Upload upload(PayloadType form) {
        return Upload.signed(
                form, Map.of("x-amz-decoded-content-length", Integer.toString(LENGTH), "x-amz-trailer", CRC));
    }

    private byte[] wire(@Nullable ChunkSignatureSeed seed) {
        ChecksumDigest digest = ChecksumAlgorithm.CRC32.newDigest();
        digest.update(payload);
        return new Wire(seed)
                .chunks(payload, LENGTH)
                .trailer(CRC, digest.base64())
                .bytes();
    }
}
