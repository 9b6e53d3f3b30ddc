package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the checksums of parts prove the whole. */
class ContentChecksumsTest {
    private static final int PART = 1000;

    private final byte[] content = new byte[3500];

    ContentChecksumsTest() {
        new Random(1).nextBytes(content);
    }

    @ParameterizedTest
    @EnumSource(
            value = ChecksumAlgorithm.class,
            names = {"CRC32", "CRC32C", "CRC64NVME"})
    void partsInOrderHaveTheChecksumOfTheWhole(ChecksumAlgorithm algorithm) {
        List<ExpectedChecksum> whole = List.of(expected(algorithm, content));

        assertThatCode(() -> ContentChecksums.requireCombined(whole, parts(whole, content)))
                .doesNotThrowAnyException();
    }

    @Test
    void oneWrongByteOfAPartIsFound() {
        List<ExpectedChecksum> whole = List.of(expected(ChecksumAlgorithm.CRC32C, content));
        byte[] wrong = content.clone();
        wrong[2_345] ^= 1;

        assertThatThrownBy(() -> ContentChecksums.requireCombined(whole, parts(whole, wrong)))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("CRC32C");
    }

    @Test
    void partsThatWereStoredWithoutAChecksumLeaveItUnchecked() {
        List<ExpectedChecksum> whole = List.of(expected(ChecksumAlgorithm.CRC32C, new byte[1]));
        List<Part> parts = parts(whole, content);
        parts.set(1, new Part(2, "tag", PART, Map.of()));

        assertThatCode(() -> ContentChecksums.requireCombined(whole, parts)).doesNotThrowAnyException();
    }

    private static List<Part> parts(List<ExpectedChecksum> wanted, byte[] bytes) {
        List<Part> parts = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += PART) {
            byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PART));
            ContentChecksums sums = new ContentChecksums(wanted);
            sums.add(Unpooled.wrappedBuffer(part));
            parts.add(new Part(parts.size() + 1, "tag", part.length, sums.values()));
        }
        return parts;
    }

    private static ExpectedChecksum expected(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumDigest digest = algorithm.newDigest();
        digest.update(Unpooled.wrappedBuffer(bytes));
        return new ExpectedChecksum(algorithm, digest.base64(), "its backend");
    }
}
