package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Metadata is read exactly as written, or not at all: after crashes, by later versions, and after changes by hand. */
class MetadataFileFormatTest {
    private static final ObjectKey KEY = new ObjectKey("a b/\u00E4%\n.jpg");
    private static final StoredContentMetadata NEW = new StoredContentMetadata(
            48213,
            Instant.parse("2026-11-20T21:30:02.519331902Z"),
            ETag.strong("5d41402abc4b2a76b9719d911017c592"),
            HeaderList.EMPTY
                    .with("content-type", "image/jpeg")
                    .with("x-amz-meta-odd", "a: b % c\r\nend 0 \u00E4\uD83D\uDE00")
                    .with("x-amz-meta-empty", ""));
    private static final StoredContentMetadata OLD = new StoredContentMetadata(
            12,
            Instant.parse("1969-01-01T00:00:00Z"),
            ETag.strong("x y"),
            HeaderList.EMPTY.with("x-amz-meta-a", "b"),
            PartSizes.of(List.of(5L, 5L, 2L)));

    @Test
    void comesBackAsItWasWritten() {
        assertThat(MetadataFileFormat.read(MetadataFileFormat.write(KEY, List.of(NEW, OLD)), KEY))
                .containsExactly(NEW, OLD);
    }

    @Test
    void partsAreALineOfTheirOwn() {
        assertThat(MetadataFileFormat.write(KEY, List.of(OLD))).contains("x-amz-meta-a: b\nparts 2*5 1*2\nend ");
    }

    @Test
    void textReportsItsKey() {
        assertThat(MetadataFileFormat.key(MetadataFileFormat.write(KEY, List.of(NEW))))
                .contains(KEY);
        assertThat(MetadataFileFormat.key("")).isEmpty();
        assertThat(MetadataFileFormat.key("millrace-metadata 1\nend 0\n")).isEmpty();
    }

    @Test
    void isReadableAscii() {
        assertThat(MetadataFileFormat.write(KEY, List.of(NEW))).startsWith("""
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
        assertThat(MetadataFileFormat.read(MetadataFileFormat.write(KEY, List.of(NEW)), new ObjectKey("other")))
                .isEmpty();
    }

    @Test
    void textWithAnyByteChangedOrMissingSaysNothing() {
        String text = MetadataFileFormat.write(KEY, List.of(NEW, OLD));

        for (int i = 0; i < text.length(); i++) {
            String changed = text.substring(0, i) + (char) (text.charAt(i) ^ 1) + text.substring(i + 1);
            assertThat(MetadataFileFormat.read(changed, KEY))
                    .as("byte %d changed", i)
                    .isEmpty();
            assertThat(MetadataFileFormat.read(text.substring(0, i), KEY))
                    .as("cut at byte %d", i)
                    .isEmpty();
        }
        assertThat(MetadataFileFormat.read("\0".repeat(text.length()), KEY)).isEmpty();
        assertThat(MetadataFileFormat.read("", KEY)).isEmpty();
    }
}
