package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies the parser of form fields. It runs before authentication, so slow clients must not cost more. */
class UploadFormParserTest {
    private static final String FILE = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";

    private final UploadFormParser reader = new UploadFormParser("b");

    @Test
    void parsesFormsInPiecesOfAnySize() {
        String form = field("key", "a\r\n--c") + field("\u00c3\u0084", "\u00c3\u00a4") + FILE + "content";
        for (int size = 1; size <= form.length(); size++) {
            UploadFormParser cut = new UploadFormParser("b");
            StringBuilder file = new StringBuilder();
            Optional<UploadFormFields> head = Optional.empty();
            for (int at = 0; at < form.length(); at += size) {
                ByteBuf piece = piece(form.substring(at, Math.min(form.length(), at + size)));
                head = head.isPresent() ? head : cut.read(piece);
                file.append(piece.toString(StandardCharsets.ISO_8859_1));
            }
            assertThat(head.orElseThrow().fields())
                    .containsOnlyKeys("key", "\u00e4")
                    .containsEntry("key", "a\r\n--c")
                    .containsEntry("\u00e4", "\u00e4");
            assertThat(head.get().fileName()).isEqualTo("f");
            assertThat(head.get().bytes()).isEqualTo(form.length() - "content".length());
            assertThat(file).hasToString("content");
        }
    }

    /** With replacement characters, two keys could become the same. */
    @Test
    void refusesFieldsThatAreNotUtf8() {
        for (String form : List.of(
                field("key", "\u00FF") + FILE,
                field("key", "a\u00C3") + FILE,
                field("x-amz-meta-\u00E4", "a") + FILE,
                field("key", "${filename}") + FILE.replace("\"f\"", "\"\u00E4\""))) {
            assertThatThrownBy(() -> new UploadFormParser("b").read(piece(form)))
                    .isInstanceOfSatisfying(S3Exception.class, e -> {
                        assertThat(e.status()).isEqualTo(400);
                        assertThat(e.code()).isEqualTo("MalformedPOSTRequest");
                    });
        }
    }

    @Test
    void parsesByteByByteWithLittleMemory() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        String form = field("key", "\r\n".repeat(15_000)) + FILE;
        ByteBuf all = piece(form);
        long before = threads.getCurrentThreadAllocatedBytes();

        while (all.isReadable()) {
            reader.read(all.readSlice(1));
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 << 20);
    }

    @Test
    void theFileMustBeginWithinTheFirst32KiB() {
        int room = UploadFormParser.MAX_BYTES - FILE.length() - field("key", "").length();
        String most = field("key", "k".repeat(room));
        String tooMuch = field("key", "k".repeat(room + 1));

        assertThat(reader.read(piece(most + FILE + "content"))).isPresent();
        for (int cut : new int[] {0, 1, 100, tooMuch.length(), tooMuch.length() + 50}) {
            UploadFormParser other = new UploadFormParser("b");
            String form = tooMuch + FILE + "content";
            assertThatThrownBy(() -> {
                        other.read(piece(form.substring(0, cut)));
                        other.read(piece(form.substring(cut)));
                    })
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.code()).isEqualTo("MaxPostPreDataLengthExceeded"));
        }
    }

    @Test
    void ignoresFilesAfterTheClosingBoundary() {
        assertThatThrownBy(() -> reader.read(piece(field("key", "k") + "--b--\r\n" + FILE + "content")))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("InvalidArgument"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            multipart/form-data; boundary=b                     | b
            Multipart/Form-Data;charset=utf-8; BOUNDARY="a b"   | a b
            multipart/form-data ;boundary=a boundary=b          | a
            multipart/form-data; boundary=first; boundary=other | first
            multipart/form-data; x; boundary="a                 | a
            """)
    void theBoundaryIsWhatTheTypeSaysFirst(String type, String boundary) {
        assertThat(UploadFormFields.boundary(type)).contains(boundary);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text/plain; boundary=b",
                "multipart/form-data",
                "multipart/form-data; boundary=",
                "multipart/form-data; boundary=\"\"",
                "multipart/form-databoundary=b",
                "multipart/form-data; boundary=12345678901234567890123456789012345678901234567890123456789012345678901"
            })
    void contentTypeWithoutABoundaryIsNoForm(String type) {
        assertThat(UploadFormFields.boundary(type)).isEmpty();
    }

    private static String field(String name, String value) {
        return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    }

    private static ByteBuf piece(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }
}
