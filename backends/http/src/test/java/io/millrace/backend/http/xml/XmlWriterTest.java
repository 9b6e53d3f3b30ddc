package io.millrace.backend.http.xml;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** Verifies that the XML can be parsed; a key that breaks the document hides all keys after it. */
class XmlWriterTest {
    @Test
    void parserReadsBackAllWrittenText() throws Exception {
        for (ObjectKey key : DifficultKeys.keys()) {
            if (key.value().chars().noneMatch(c -> (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c >= 0xFFFE)) {
                assertThat(parse(key.value()).getDocumentElement().getTextContent())
                        .isEqualTo(key.value());
            }
        }
    }

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

    private static Document parse(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(text(text).getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(String text) {
        ByteBuffer bytes = XmlWriter.of("Root").element("Key", text).bytes();
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }
}
