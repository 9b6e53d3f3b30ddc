package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Reads of whole objects and their metadata. */
interface ReadContract extends ContractSupport {
    @Test
    default void wholeObjectComesByteForByte() {
        ObjectKey key = seeded("a/whole.bin", 300_001);

        ObjectContent content = open(readRequest(key));

        assertThat(content.range()).as("no range was asked for").isEmpty();
        assertThat(content.length()).isEqualTo(300_001);
        assertThat(drain(content)).isEqualTo(GeneratedBytes.of("a/whole.bin").first(300_001));
    }

    @Test
    default void emptyObjectIsAnObject() {
        ObjectKey key = seeded("empty", 0);

        assertThat(head(readRequest(key)).head().size()).isZero();
        assertThat(read(readRequest(key))).isEmpty();
    }

    @Test
    default void headAndOpenAgree() {
        ObjectKey key = new ObjectKey("agree.bin");
        seed(
                key,
                GeneratedBytes.of("agree.bin").first(1234),
                HeaderList.EMPTY.with("content-type", "application/x-agree"));

        ObjectHead reported = head(readRequest(key)).head();
        ObjectContent content = open(readRequest(key));
        drain(content);

        assertThat(content.head().version()).isEqualTo(reported.version());
        assertThat(content.head().eTag()).isEqualTo(reported.eTag());
        assertThat(content.head().lastModified()).isEqualTo(reported.lastModified());
        assertThat(content.head().headers().fields())
                .containsExactlyInAnyOrderElementsOf(reported.headers().fields());
        assertThat(reported.size()).isEqualTo(1234);
    }

    @Test
    default void lastModifiedIsTheWriteTimeInSeconds() {
        Instant before = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        ObjectKey key = seeded("when", 1);

        Instant written = head(readRequest(key)).head().lastModified().orElseThrow();

        assertThat(written).isEqualTo(written.truncatedTo(ChronoUnit.SECONDS));
        assertThat(written)
                .isBetween(before.minus(Duration.ofSeconds(1)), Instant.now().plus(Duration.ofSeconds(1)));
    }

    @Test
    default void headersComeExactlyAsStored() {
        assumeTrue(storesHeaders(), "stores no headers");
        HeaderList stored = HeaderList.EMPTY
                .with("content-type", "Application/X-Millrace; charset=\"UTF-8\"; a=b")
                .with("content-encoding", "x-nothing")
                .with("content-language", "de-CH, fr")
                .with("content-disposition", "attachment; filename=\"a b;c.txt\"")
                .with("cache-control", "no-transform, max-age=60")
                .with("x-amz-meta-plain", "value")
                .with("x-amz-meta-odd", "two  spaces; \"quotes\", commas = equals % percent + plus");
        ObjectKey key = new ObjectKey("described");
        seed(key, new byte[] {1}, stored);

        assertThat(head(readRequest(key)).head().headers().fields()).containsAll(stored.fields());
        ObjectContent content = open(readRequest(key));
        content.discard();
        assertThat(content.head().headers().fields()).containsAll(stored.fields());
    }

    @Test
    default void lengthAndRangeAreNoHeadersOfTheObject() {
        ObjectKey key = seeded("lengthless", 10);

        assertThat(head(readRequest(key)).head().headers().fields())
                .extracting(HeaderList.HeaderField::name)
                .doesNotContain("content-length", "content-range", "etag", "last-modified", "accept-ranges");
    }

    @Test
    default void newerObjectReplacesTheOlder() {
        ObjectKey key = seeded("twice", 100);
        ObjectHead older = head(readRequest(key)).head();

        seed(key, new GeneratedBytes("twice", 2).first(90), HeaderList.EMPTY.with("x-amz-meta-round", "two"));

        ObjectHead newer = head(readRequest(key)).head();
        assertThat(newer.version()).isNotEqualTo(older.version());
        assertThat(newer.eTag()).isNotEqualTo(older.eTag());
        if (storesHeaders()) {
            assertThat(newer.headers().first("x-amz-meta-round")).contains("two");
        }
        assertThat(read(readRequest(key))).isEqualTo(new GeneratedBytes("twice", 2).first(90));
    }
}
