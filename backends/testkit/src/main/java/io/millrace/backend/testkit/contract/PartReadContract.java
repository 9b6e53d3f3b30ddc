package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Reads of one part: with {@link Capability#PARTS} a part of the upload, otherwise one part that is the whole object.
 */
interface PartReadContract extends ContractSupport {
    /** S3's smallest part but the last. */
    int PART = 5 << 20;

    @Test
    default void partOneOfASimpleObjectIsTheWhole() {
        ObjectKey key = seeded("single", 1000);
        ByteRange all = new ByteRange(0, 999);

        ObjectContent content = open(readRequest(key).withSelection(new ByteSelection.PartSelection(1)));

        assertThat(content.range()).contains(all);
        assertThat(drain(content)).isEqualTo(GeneratedBytes.of("single").first(1000));
        assertThat(head(readRequest(key).withSelection(new ByteSelection.PartSelection(1)))
                        .range())
                .contains(all);
    }

    @Test
    default void simpleObjectHasOnlyPartOne() {
        ObjectKey key = seeded("single", 1000);

        assertFails(
                readRequest(key).withSelection(new ByteSelection.PartSelection(2)),
                BackendException.FailureKind.INVALID_PART);
        assertFails(
                readRequest(key).withSelection(new ByteSelection.PartSelection(10_000)),
                BackendException.FailureKind.INVALID_PART);
    }

    @Test
    default void partsOfAnUploadAreReadByNumber() {
        assumeTrue(supports(Capability.PARTS), "knows no parts");
        ObjectKey key = new ObjectKey("parts");
        GeneratedBytes bytes = GeneratedBytes.of("parts");
        seedParts(key, List.of(bytes.first(PART), bytes.slice(PART, PART), bytes.slice(2L * PART, 77)));

        assertPart(key, 1, new ByteRange(0, PART - 1));
        assertPart(key, 2, new ByteRange(PART, 2L * PART - 1));
        assertPart(key, 3, new ByteRange(2L * PART, 2L * PART + 76));
        assertFails(
                readRequest(key).withSelection(new ByteSelection.PartSelection(4)),
                BackendException.FailureKind.INVALID_PART);
        assertThat(read(readRequest(key))).isEqualTo(bytes.first(2 * PART + 77));
    }

    private void assertPart(ObjectKey key, int number, ByteRange range) {
        HeadResult head = head(readRequest(key).withSelection(new ByteSelection.PartSelection(number)));
        ObjectContent content = open(readRequest(key).withSelection(new ByteSelection.PartSelection(number)));

        assertThat(head.range()).contains(range);
        assertThat(head.head().size()).isEqualTo(2L * PART + 77);
        assertThat(head.head().headers().first("x-amz-mp-parts-count")).contains("3");
        assertThat(content.range()).contains(range);
        assertThat(content.head().headers().first("x-amz-mp-parts-count")).contains("3");
        assertThat(drain(content)).isEqualTo(GeneratedBytes.of("parts").slice(range.first(), (int) range.length()));
    }
}
