package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that changed chunks are refused. Other servers have used chunks before verifying their signature, ignored the
 * signature of the last chunk, or failed where a header met the end of a buffer.
 */
class SignedStreamTest {
    private static final int CHUNK = 8192;
    private static final byte[] PAYLOAD = new byte[CHUNK + 11];
    private static final Map<String, String> HEADERS = Map.of(
            "x-amz-decoded-content-length",
            Integer.toString(PAYLOAD.length),
            "x-amz-trailer",
            "x-amz-checksum-crc64nvme");
    private static final Upload UPLOAD = Upload.signed(new PayloadType.SignedChunks(true), HEADERS);

    static {
        new Random(1).nextBytes(PAYLOAD);
    }

    private final byte[] wire = wire(PAYLOAD);

    @Test
    void detectsEveryFlippedByteBeforeItsChunk() throws Exception {
        for (int i = 0; i < wire.length; i++) {
            byte[] flipped = wire.clone();
            flipped[i] ^= 1;

            Decoded decoded = Decoded.of(UPLOAD.reader(), flipped);

            // The line end behind a chunk's bytes is no more part of it.
            int verified = i < chunkLength() - 2 ? 0 : CHUNK;
            decoded.assertRefused(
                    PAYLOAD,
                    Code.SIGNATURE_DOES_NOT_MATCH,
                    Code.INCOMPLETE_BODY,
                    Code.MALFORMED_TRAILER,
                    Code.INVALID_REQUEST,
                    Code.INVALID_CHUNK_SIZE);
            decoded.assertBegins(PAYLOAD);
            assertThat(decoded.bytes().length).as("flipped byte %d", i).isLessThanOrEqualTo(verified);
        }
    }

    @Test
    void everySplitGivesTheSameBytes() throws Exception {
        for (int i = 1; i < wire.length; i++) {
            PayloadVerifier reader = UPLOAD.reader();
            Decoded.of(reader, wire, i).assertWhole(PAYLOAD);
            assertThat(reader.trailerValue()).isEqualTo(crc64(PAYLOAD));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 85, 1000, 8193})
    void everyStepGivesTheSameBytes(int step) throws Exception {
        Decoded.inSteps(UPLOAD.reader(), wire, step).assertWhole(PAYLOAD);
    }

    @Test
    void cutAnywhereItIsRefused() throws Exception {
        for (int i = 0; i < wire.length; i++) {
            Decoded.of(UPLOAD.reader(), Arrays.copyOf(wire, i)).assertRefused(PAYLOAD, Code.INCOMPLETE_BODY);
        }
    }

    @Test
    void chunksCannotChangePlaces() throws Exception {
        Upload upload = Upload.signed(
                new PayloadType.SignedChunks(false),
                Map.of("x-amz-decoded-content-length", Integer.toString(2 * CHUNK)));
        byte[] payload = Arrays.copyOf(PAYLOAD, 2 * CHUNK);
        byte[] body = new Wire(seed(upload)).chunks(payload, CHUNK).text("\r\n").bytes();
        byte[] swapped = body.clone();
        int length = chunkLength();
        System.arraycopy(body, 0, swapped, length, length);
        System.arraycopy(body, length, swapped, 0, length);

        Decoded.of(upload.reader(), body).assertWhole(payload);
        Decoded decoded = Decoded.of(upload.reader(), swapped);
        decoded.assertRefused(payload, Code.SIGNATURE_DOES_NOT_MATCH);
        assertThat(decoded.bytes()).isEmpty();
    }

    @Test
    void chunksOfAnotherRequestAreRefused() throws Exception {
        Map<String, String> headers = new HashMap<>(HEADERS);
        headers.put("x-amz-meta-a", "b");
        Upload other = Upload.signed(new PayloadType.SignedChunks(true), headers);
        byte[] theirs = wire(PAYLOAD, other);

        Decoded.of(other.reader(), theirs).assertWhole(PAYLOAD);
        Decoded.of(UPLOAD.reader(), theirs).assertRefused(PAYLOAD, Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void emptyBodyHasItsLastChunkAndTrailerVerified() throws Exception {
        Upload empty = Upload.signed(
                new PayloadType.SignedChunks(true),
                Map.of("x-amz-decoded-content-length", "0", "x-amz-trailer", "x-amz-checksum-crc64nvme"));
        byte[] nothing = new byte[0];
        byte[] right = wire(nothing, empty);

        Decoded.of(empty.reader(), right).assertWhole(nothing);
        for (int i = 0; i < right.length; i++) {
            byte[] flipped = right.clone();
            flipped[i] ^= 1;
            assertThat(Decoded.of(empty.reader(), flipped).failure())
                    .as("flipped byte %d", i)
                    .isInstanceOf(RequestVerificationException.class);
        }
        Decoded.of(empty.reader(), nothing).assertRefused(nothing, Code.INCOMPLETE_BODY);
    }

    @Test
    void lastPieceWaitsForTheEnd() throws Exception {
        byte[] wrongTrailer = wire.clone();
        wrongTrailer[wire.length - 10] ^= 1;

        Decoded decoded = Decoded.inSteps(UPLOAD.reader(), wrongTrailer, 100);

        assertThat(decoded.bytes()).isEqualTo(Arrays.copyOf(PAYLOAD, CHUNK));
        decoded.assertRefused(PAYLOAD, Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void refusesTooLargeChunkByItsHeader() throws Exception {
        int size = (1 << 20) + 1;
        Upload large = Upload.signed(
                new PayloadType.SignedChunks(false), Map.of("x-amz-decoded-content-length", Integer.toString(size)));
        String header = "100001;chunk-signature=" + "0".repeat(64) + "\r\n";

        Decoded decoded = Decoded.of(large.reader(), header);

        decoded.assertRefused(new byte[size], Code.INVALID_REQUEST);
        assertThat(decoded.failure()).hasMessageContaining("1048577").hasMessageContaining("1048576");
    }

    @Test
    void chunkAsLargeAsWeHoldIsTaken() throws Exception {
        byte[] payload = new byte[1 << 20];
        new Random(2).nextBytes(payload);
        Upload large = Upload.signed(
                new PayloadType.SignedChunks(false),
                Map.of("x-amz-decoded-content-length", Integer.toString(payload.length)));
        byte[] body = new Wire(seed(large))
                .chunks(payload, payload.length)
                .text("\r\n")
                .bytes();

        Decoded.inSteps(large.reader(), body, 16 << 10).assertWhole(payload);
    }

    private static byte[] wire(byte[] payload) {
        try {
            return wire(payload, UPLOAD);
        } catch (RequestVerificationException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] wire(byte[] payload, Upload upload) throws RequestVerificationException {
        return new Wire(seed(upload))
                .chunks(payload, CHUNK)
                .trailer("x-amz-checksum-crc64nvme", crc64(payload))
                .bytes();
    }

    private static ChunkSignatureSeed seed(Upload upload) throws RequestVerificationException {
        return ((Authentication.Signed) upload.authentication()).chunkSeed().orElseThrow();
    }

    private static String crc64(byte[] payload) {
        ChecksumDigest digest = ChecksumAlgorithm.CRC64NVME.newDigest();
        digest.update(payload);
        return digest.base64();
    }

    private static int chunkLength() {
        return "2000;chunk-signature=\r\n\r\n".length() + 64 + CHUNK;
    }
}
