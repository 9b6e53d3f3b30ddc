package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Checksums are compared by clients that compute them elsewhere: one wrong bit, and a whole object counts as damaged. */
class ChecksumAlgorithmTest {
    /** The check values that the catalogues of CRCs give, and of the SHAs what sha1sum says. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            CRC32,     cbf43926
            CRC32C,    e3069283
            CRC64NVME, ae8b14860a799888
            SHA1,      f7c3bc1d808e04732adf679965ccc34ca7ae3441
            SHA256,    15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225
            """)
    void nineDigitsHaveTheKnownValue(ChecksumAlgorithm algorithm, String expected) {
        byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);

        assertThat(HexFormat.of().formatHex(value(algorithm, digits))).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(ChecksumAlgorithm.class)
    void valueDoesNotDependOnHowTheBytesCome(ChecksumAlgorithm algorithm) {
        byte[] bytes = random(10_000);
        ChecksumAlgorithm.Running pieces = algorithm.start();
        for (int at = 0, step = 1; at < bytes.length; step = step * 2 + 1) {
            int length = Math.min(step, bytes.length - at);
            ByteBuffer piece = ByteBuffer.wrap(bytes, at, length);
            pieces.update(at % 2 == 0 ? piece : direct(piece));
            at += length;
        }

        assertThat(pieces.value()).isEqualTo(value(algorithm, bytes));
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C", "CRC64NVME"})
    void crcOfAWholeFollowsFromItsPieces(ChecksumAlgorithm algorithm) {
        byte[] bytes = random(20_000);
        for (int cut : new int[] {0, 1, 7, 8, 4096, 19_999, 20_000}) {
            byte[] first = Arrays.copyOfRange(bytes, 0, cut);
            byte[] second = Arrays.copyOfRange(bytes, cut, bytes.length);

            assertThat(algorithm.combine(value(algorithm, first), value(algorithm, second), second.length))
                    .as("cut at %d", cut)
                    .isEqualTo(value(algorithm, bytes));
        }
    }

    @Test
    void crcOverMoreBytesThanAnArrayHoldsIsCombinedToo() {
        ChecksumAlgorithm.Running zeros = ChecksumAlgorithm.CRC32.start();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 3 * 1024; i++) {
            zeros.update(ByteBuffer.wrap(block));
        }
        byte[] half = value(ChecksumAlgorithm.CRC32, new byte[1 << 29]);
        byte[] whole = value(ChecksumAlgorithm.CRC32, new byte[0]);
        for (int i = 0; i < 6; i++) {
            whole = ChecksumAlgorithm.CRC32.combine(whole, half, 1L << 29);
        }

        assertThat(whole).isEqualTo(zeros.value());
    }

    @Test
    void namesAndFieldsAreFoundAndOthersAreNot() {
        assertThat(ChecksumAlgorithm.named("crc32c")).contains(ChecksumAlgorithm.CRC32C);
        assertThat(ChecksumAlgorithm.named("md5")).isEmpty();
        assertThat(ChecksumAlgorithm.ofField("x-amz-checksum-sha256")).contains(ChecksumAlgorithm.SHA256);
        assertThat(List.of("x-amz-checksum-type", "x-amz-checksum-algorithm", "sha256"))
                .allSatisfy(name -> assertThat(ChecksumAlgorithm.ofField(name)).isEmpty());
    }

    private static byte[] value(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumAlgorithm.Running running = algorithm.start();
        running.update(ByteBuffer.wrap(bytes));
        return running.value();
    }

    private static ByteBuffer direct(ByteBuffer bytes) {
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }
}
