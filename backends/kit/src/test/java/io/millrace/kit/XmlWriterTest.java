package io.millrace.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Verifies that the XML can be parsed; a key that breaks the document hides all keys after it. */
class XmlWriterTest {
    @Test
    void othersAreReferencesToThem() {
        for (char c = 0; c < 0x20; c++) {
            assertThat(text("a" + c + "b")).contains("<Key>a&#x" + Integer.toHexString(c) + ";b</Key>");
        }
        assertThat(text("\uFFFE\uFFFF")).contains("<Key>&#xfffe;&#xffff;</Key>");
    }

    @Test
    void markupIsText() {
        assertThat(text("</Key><Key>&amp;]]>"))
                .contains("&lt;Key")
                .doesNotContain("<Key></Key>")
                .containsOnlyOnce("<Key>");
        assertThat(text("\uD83D\uDE00")).contains("<Key>\uD83D\uDE00</Key>");
    }

    private static String text(String text) {
        ByteBuffer bytes = XmlWriter.of("Root").element("Key", text).bytes();
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }
}
