package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Metadata is read after crashes, by later versions, and by operators: it is exactly what was written, or nothing. */
class MetadataTextTest {
    private static final ObjectKey KEY = new ObjectKey("a b/\u00E4%\n.jpg");
    private static final StoredContent NEW = new StoredContent(
            48213,
            Instant.parse("2026-11-20T21:30:02.519331902Z"),
            ETag.strong("5d41402abc4b2a76b9719d911017c592"),
            HeaderList.EMPTY
                    .with("content-type", "image/jpeg")
                    .with("x-amz-meta-odd", "a: b % c\r\nend 0 \u00E4\uD83D\uDE00")
                    .with("x-amz-meta-empty", ""));
    private static final StoredContent OLD = new StoredContent(
            12,
            Instant.parse("1969-01-01T00:00:00Z"),
            ETag.strong("x y"),
            HeaderList.EMPTY.with("x-amz-meta-a", "b"),
            PartSizes.of(List.of(5L, 5L, 2L)));

    @Test
    void comesBackAsItWasWritten() {
        assertThat(MetadataText.read(MetadataText.write(KEY, List.of(NEW, OLD)), KEY))
                .containsExactly(NEW, OLD);
    }

    @Test
    void partsAreALineOfTheirOwn() {
        assertThat(MetadataText.write(KEY, List.of(OLD))).contains("x-amz-meta-a: b\nparts 2*5 1*2\nend ");
    }

    @Test
    void textTellsItsKey() {
        assertThat(MetadataText.key(MetadataText.write(KEY, List.of(NEW)))).contains(KEY);
        assertThat(MetadataText.key("")).isEmpty();
        assertThat(MetadataText.key("millrace-metadata 1\nend 0\n")).isEmpty();
    }

    @Test
    void isReadableAscii() {
        assertThat(MetadataText.write(KEY, List.of(NEW))).startsWith("""
                        millrace-metadata 1
                        key a%20b/%C3%A4%25%0A.jpg
                        content 48213 2026-11-20T21:30:02.519331902Z 5d41402abc4b2a76b9719d911017c592
                        content-type: image/jpeg
                        x-amz-meta-odd: a: b %25 c%0D%0Aend 0 %C3%A4%F0%9F%98%80
                        x-amz-meta-empty:\s
                        end\s""");
    }

    @Test
    void anotherKeysTextSaysNothing() {
        assertThat(MetadataText.read(MetadataText.write(KEY, List.of(NEW)), new ObjectKey("other")))
                .isEmpty();
    }

    @Test
    void textWithAnyByteChangedOrMissingSaysNothing() {
        String text = MetadataText.write(KEY, List.of(NEW, OLD));

        for (int i = 0; i < text.length(); i++) {
            String changed = text.substring(0, i) + (char) (text.charAt(i) ^ 1) + text.substring(i + 1);
            assertThat(MetadataText.read(changed, KEY)).as("byte %d changed", i).isEmpty();
            assertThat(MetadataText.read(text.substring(0, i), KEY))
                    .as("cut at byte %d", i)
                    .isEmpty();
        }
        assertThat(MetadataText.read("\0".repeat(text.length()), KEY)).isEmpty();
        assertThat(MetadataText.read("", KEY)).isEmpty();
    }
}
