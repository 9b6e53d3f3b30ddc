package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads of one part: by {@link Capability#PARTS} what an upload left, without it one part that is the whole. */
interface PartCases extends ContractCases {
    /** S3's smallest part but the last. */
    int PART = 5 << 20;

    @Test
    default void partOneOfAnObjectInOnePieceIsAllOfIt() {
        ObjectKey key = seeded("single", 1000);
        ByteRange all = new ByteRange(0, 999);

        ObjectContent content = open(asking(key).select(new Selection.Part(1)));

        assertThat(content.range()).contains(all);
        assertThat(drain(content)).isEqualTo(Bytes.of("single").first(1000));
        assertThat(head(asking(key).select(new Selection.Part(1))).range()).contains(all);
    }

    @Test
    default void otherPartsOfAnObjectInOnePieceAreInvalid() {
        ObjectKey key = seeded("single", 1000);

        assertFails(asking(key).select(new Selection.Part(2)), BackendException.Kind.INVALID_PART);
        assertFails(asking(key).select(new Selection.Part(10_000)), BackendException.Kind.INVALID_PART);
    }

    @Test
    default void partsOfAnUploadAreReadByNumber() {
        assumeTrue(can(Capability.PARTS), "knows no parts");
        ObjectKey key = new ObjectKey("parts");
        Bytes bytes = Bytes.of("parts");
        seedParts(key, List.of(bytes.first(PART), bytes.slice(PART, PART), bytes.slice(2L * PART, 77)));

        assertPart(key, 1, new ByteRange(0, PART - 1));
        assertPart(key, 2, new ByteRange(PART, 2L * PART - 1));
        assertPart(key, 3, new ByteRange(2L * PART, 2L * PART + 76));
        assertFails(asking(key).select(new Selection.Part(4)), BackendException.Kind.INVALID_PART);
        assertThat(read(asking(key))).isEqualTo(bytes.first(2 * PART + 77));
    }

    private void assertPart(ObjectKey key, int number, ByteRange range) {
        SelectedHead head = head(asking(key).select(new Selection.Part(number)));
        ObjectContent content = open(asking(key).select(new Selection.Part(number)));

        assertThat(head.range()).contains(range);
        assertThat(head.head().size()).isEqualTo(2L * PART + 77);
        assertThat(head.head().headers().first("x-amz-mp-parts-count")).contains("3");
        assertThat(content.range()).contains(range);
        assertThat(content.head().headers().first("x-amz-mp-parts-count")).contains("3");
        assertThat(drain(content)).isEqualTo(Bytes.of("parts").slice(range.first(), (int) range.length()));
    }
}
