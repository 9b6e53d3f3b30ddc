package io.millrace.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verifies the parsing of documents from untrusted clients. The JDK's parser prints some errors to the console, where
 * they could fill a log.
 */
class XmlParserTest {
    private static final String REST = "<Delete><Key>a</Key></Delete>";

    private final PrintStream console = System.err;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void nothingIsPrinted() {
        System.setErr(console);
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE Delete>",
                " \n<!DOCTYPE Delete [<!ENTITY a \"b\">]>",
                "<!DOCTYPE Delete [<!ENTITY a \"b\"",
                "<!DOCTYPE Delete SYSTEM \"http://127.0.0.1:9/a.dtd\">",
                "<!-- a --><!DOCTYPE Delete>",
                "<?a > ?><!DOCTYPE Delete>",
                "<?xml version=\"1.0\"?><!-- > --><?a?><!doctype Delete>"
            })
    void aDocumentMayNotDeclareItsType(String declaration) {
        refused(declaration + REST);
    }

    @Test
    void readsDoctypeInsideTextAsText() {
        String key = "<Delete><!-- <!DOCTYPE a> --><Key><![CDATA[<!DOCTYPE a>]]>&lt;</Key></Delete>";

        assertThat(parse(key.getBytes(StandardCharsets.UTF_8)).textOf("Key")).contains("<!DOCTYPE a><");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<Delete>\u00ff</Delete>", "\u00ff" + REST, "<Delete>\u00c3", "\u00fe\u00ff\0<\0a\0/\0>"})
    void refusesDocumentsThatAreNotUtf8(String bytes) {
        assertThatThrownBy(() -> parse(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(XmlException.class);
    }

    @Test
    void onlyUtf8MayBeDeclared() {
        refused("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + REST);
        refused("<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + REST);
        refused("<?xml version=\"1.1\" encoding=\"ISO-8859-1\"?>" + REST);
        refused("<?xml version='1.1' encoding = 'UTF%8'?>" + REST);

        String right = "\uFEFF<?xml version=\"1.0\" encoding=\"utf-8\"?>" + REST;
        assertThat(parse(right.getBytes(StandardCharsets.UTF_8)).textOf("Key")).contains("a");
    }

    @Test
    void anElementHasFewAttributesAndNameSpaces() {
        String attributes =
                IntStream.range(0, 8).mapToObj(i -> " a" + i + "=\"\"").collect(Collectors.joining());
        String spaces =
                IntStream.range(0, 8).mapToObj(i -> " xmlns:n" + i + "=\"n\"").collect(Collectors.joining());

        assertThat(parse(("<Delete" + attributes + spaces + "/>").getBytes(StandardCharsets.UTF_8))
                        .name())
                .isEqualTo("Delete");
        refused("<Delete" + attributes + spaces + " one=\"more\"/>");
    }

    private static void refused(String document) {
        assertThatThrownBy(() -> parse(document.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(XmlException.class);
    }

    private static XmlElement parse(byte[] document) {
        return XmlParser.parse(document, "Delete");
    }

    @Test
    void aTextWithElementsInItIsNone() {
        XmlElement root = parse("<Delete><Key>x<b/>y</Key></Delete>".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> root.textOf("Key")).isInstanceOf(XmlException.class);
    }
}
