package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests malformed aws-chunked bodies against the error codes of S3. Every malformed body ends with one of these errors:
 * it never hangs, never fails otherwise, and its rest is never read as another object's bytes. In the tables {@code |}
 * is a line's end.
 */
class FramingTest {
    private static final String CRC = "x-amz-checksum-crc64nvme";
    private static final byte[] DUMMY = "dummy data".getBytes(StandardCharsets.ISO_8859_1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||",
                "A|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||",
                "a;|dummy data|0;|" + CRC + ":dPVWc2vU1+Q=||",
                "a;name=value|dummy data|0|" + CRC + ": dPVWc2vU1+Q= ||",
                "000a|dummy data|000|X-Amz-Checksum-Crc64NVME:dPVWc2vU1+Q=||",
                "000000000000000a|dummy data|0|" + CRC + ":\t dPVWc2vU1+Q=\t ||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||||||||||||||||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=\n||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=|||"
            })
    void variantsClientsSendAreRead(String wire) throws Exception {
        PayloadVerifier reader = unsigned(10, CRC);

        Decoded.of(reader, lines(wire)).assertWhole(DUMMY);
        assertThat(reader.trailerValue()).isEqualTo("dPVWc2vU1+Q=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "a|",
                "a\ndummy data|0||",
                "a|dummy data0||",
                "a|XYZ|dummy data|0||",
                "b|dummy data|0||",
                "a|A|dummy data|0||",
                "a|dummy data",
                "a|dummy data|",
                "a|dummy data|0",
                "a|dummy data|0|",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=|",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=|\r",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=\rx|",
                "nine|dummy data|0||",
                "a|dummy data|J|" + CRC + ":dPVWc2vU1+Q=||",
                "|a|dummy data|0||",
                "-a|dummy data|0||",
                "+a|dummy data|0||",
                " a|dummy data|0||",
                "0x0a|dummy data|0||",
                "0000000000000000a|dummy data|0||",
                "ffffffffffffffff|dummy data|0||",
                "7fffffffffffffff|dummy data|0||",
                "5|dummy|0||",
                "0||"
            })
    void badFramesAndWrongLengthsAreIncompleteBodies(String wire) throws Exception {
        Decoded.of(unsigned(10, CRC), lines(wire)).assertRefused(DUMMY, Code.INCOMPLETE_BODY);
        Decoded.inSteps(unsigned(10, CRC), lines(wire).getBytes(StandardCharsets.ISO_8859_1), 1)
                .assertRefused(DUMMY, Code.INCOMPLETE_BODY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a|dummy data|0||",
                "a|dummy data|0|:dPVWc2vU1+Q=||",
                "a|dummy data|0|invalid_trailer:dPVWc2vU1+Q=||",
                "a|dummy data|0|x-amz-checksum-crc32:dPVWc2vU1+Q=||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=|" + CRC + ":dPVWc2vU1+Q=||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||a|dummy data|0||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||PUT /bucket/key HTTP/1.1||",
                "a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=|||||||||||||||||"
            })
    void otherTrailersThanAnnouncedAreMalformed(String wire) throws Exception {
        Decoded.of(unsigned(10, CRC), lines(wire)).assertRefused(DUMMY, Code.MALFORMED_TRAILER);
    }

    @Test
    void refusesUnannouncedTrailer() throws Exception {
        Decoded.of(unsigned(10, ""), lines("a|dummy data|0|" + CRC + ":dPVWc2vU1+Q=||"))
                .assertRefused(DUMMY, Code.MALFORMED_TRAILER);
        Decoded.of(unsigned(10, ""), lines("a|dummy data|0||")).assertWhole(DUMMY);
    }

    @Test
    void refusesInvalidOrWrongTrailerChecksum() throws Exception {
        Decoded.of(unsigned(10, CRC), lines("a|dummy data|0|" + CRC + ":invalid||"))
                .assertRefused(DUMMY, Code.INVALID_REQUEST);
        Decoded.of(unsigned(10, CRC), lines("a|dummy data|0|" + CRC + ": \t||"))
                .assertRefused(DUMMY, Code.INVALID_REQUEST);
        Decoded.of(unsigned(10, CRC), lines("a|dummy data|0|" + CRC + ":QFRKMGE3tuw=||"))
                .assertRefused(DUMMY, Code.BAD_DIGEST);
    }

    @Test
    void lineWithoutEndIsRefusedEarly() throws Exception {
        Decoded.of(unsigned(10, CRC), "a".repeat(ChunkHeader.LONGEST + 1)).assertRefused(DUMMY, Code.INCOMPLETE_BODY);
        Decoded.of(unsigned(10, CRC), lines("a|dummy data|0|") + "x".repeat(257))
                .assertRefused(DUMMY, Code.INCOMPLETE_BODY);
    }

    @ParameterizedTest
    @CsvSource({
        "8192 8192 100, ''",
        "100, ''",
        "10000 9500 20, ''",
        "100 8192 100, 2",
        "8192 10 100, 3",
        "10 10 10, 2",
        "8192 8191 1, 3"
    })
    void onlyTheLastChunkMayBeShort(String sizes, String refusedAt) throws Exception {
        int[] chunks =
                Arrays.stream(sizes.split(" ", -1)).mapToInt(Integer::parseInt).toArray();
        Wire wire = new Wire(null);
        for (int size : chunks) {
            wire.chunk(new byte[size]).text("\r\n");
        }
        byte[] payload = new byte[Arrays.stream(chunks).sum()];

        Decoded decoded = Decoded.of(
                unsigned(payload.length, ""),
                wire.chunk(new byte[0]).text("\r\n").bytes());

        if (refusedAt.isEmpty()) {
            decoded.assertWhole(payload);
        } else {
            decoded.assertRefused(payload, Code.INVALID_CHUNK_SIZE);
            assertThat(decoded.failure())
                    .isInstanceOfSatisfying(
                            RequestVerificationException.class,
                            e -> assertThat(e.details()).containsEntry("Chunk", refusedAt));
        }
    }

    /** In a signed body of seven bytes with its trailer, what S3 calls incomplete when somebody has been at it. */
    @ParameterizedTest
    @CsvSource({
        "0, 1, j",
        "1, 2, :",
        "2, 18, ''",
        "18, 23, ''",
        "82, 84, ''",
        "82, 84, dd",
        "91, 93, ''",
        "91, 93, something",
        "175, 176, k",
        "175, 177, cc",
        "215, 216, bcd",
        "220, 223, invalid",
        "230, 235, abcd",
        "241, 245, abcde",
        "306, 308, pp",
        "304, 308, erty"
    })
    void damagedFrameOfSignedChunksIsIncomplete(int from, int to, String with) throws Exception {
        Upload upload = Upload.signed(
                new PayloadType.SignedChunks(true), Map.of("x-amz-decoded-content-length", "7", "x-amz-trailer", CRC));
        byte[] payload = "abcdefg".getBytes(StandardCharsets.ISO_8859_1);
        String wire = signedWithTrailer(upload, payload);

        Decoded.of(upload.reader(), wire).assertWhole(payload);
        Decoded.of(upload.reader(), wire.substring(0, from) + with + wire.substring(to))
                .assertRefused(payload, Code.INCOMPLETE_BODY);
    }

    @Test
    void signedTrailerAsMinioSendsItIsRead() throws Exception {
        Upload upload = Upload.signed(
                new PayloadType.SignedChunks(true), Map.of("x-amz-decoded-content-length", "7", "x-amz-trailer", CRC));
        byte[] payload = "abcdefg".getBytes(StandardCharsets.ISO_8859_1);
        String wire = signedWithTrailer(upload, payload)
                .replace("CA=\r\nx-amz-trailer-signature", "CA=\n\r\nx-amz-trailer-signature");

        Decoded.of(upload.reader(), wire).assertWhole(payload);
        Decoded.of(upload.reader(), wire.replaceFirst("x-amz-trailer-signature:.*\r\n", ""))
                .assertRefused(payload, Code.MALFORMED_TRAILER);
    }

    /** Returns the body of a client that sends one signed chunk and a signed trailer. */
    private static String signedWithTrailer(Upload upload, byte[] payload) throws Exception {
        byte[] wire = new Wire(((Authentication.Signed) upload.authentication())
                        .chunkSeed()
                        .orElseThrow())
                .chunks(payload, payload.length)
                .trailer(CRC, "SmzZ/LTp1CA=")
                .bytes();
        return new String(wire, StandardCharsets.ISO_8859_1);
    }

    private static PayloadVerifier unsigned(int length, String trailer) throws RequestVerificationException {
        Map<String, String> headers = new HashMap<>();
        headers.put("x-amz-decoded-content-length", Integer.toString(length));
        if (!trailer.isEmpty()) {
            headers.put("x-amz-trailer", trailer);
        }
        return Upload.signed(new PayloadType.UnsignedChunksWithTrailer(), headers)
                .reader();
    }

    private static String lines(String text) {
        return text.replace("|", "\r\n");
    }
}
