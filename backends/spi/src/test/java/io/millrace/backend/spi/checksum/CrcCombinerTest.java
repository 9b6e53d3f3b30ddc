package io.millrace.backend.spi.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checksum of an object in parts is computed from those of its parts: one wrong bit, and the whole object counts as
 * damaged.
 */
class CrcCombinerTest {
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
    void combinesCrcsOverMoreThanTwoGibibytes() {
        ChecksumDigest zeros = ChecksumAlgorithm.CRC32.newDigest();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 3 * 1024; i++) {
            zeros.update(ByteBuffer.wrap(block));
        }
        byte[] half = value(ChecksumAlgorithm.CRC32, new byte[1 << 29]);
        byte[] whole = value(ChecksumAlgorithm.CRC32, new byte[0]);
        for (int i = 0; i < 6; i++) {
            whole = ChecksumAlgorithm.CRC32.combine(whole, half, 1L << 29);
        }

        assertThat(whole).isEqualTo(zeros.bytes());
    }

    private static byte[] value(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumDigest running = algorithm.newDigest();
        running.update(ByteBuffer.wrap(bytes));
        return running.bytes();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }
}
