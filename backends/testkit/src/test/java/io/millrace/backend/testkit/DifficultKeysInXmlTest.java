package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.kit.XmlWriter;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** Parses XML with each difficult key that XML can express: one that breaks the document hides all keys after it. */
class DifficultKeysInXmlTest {
    @Test
    void parserReadsBackAllWrittenText() throws Exception {
        for (ObjectKey key : DifficultKeys.keys()) {
            if (key.value().chars().noneMatch(c -> (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c >= 0xFFFE)) {
                assertThat(parse(key.value()).getDocumentElement().getTextContent())
                        .isEqualTo(key.value());
            }
        }
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
