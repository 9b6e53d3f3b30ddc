package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.RawClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** A listing as its XML says it, read by the JDK's own parser. */
record ParsedListing(Element root) {
    static ParsedListing of(RawClient.Response response) throws IOException {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("content-type", "application/xml");
        try {
            return new ParsedListing(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(response.bytes()))
                    .getDocumentElement());
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(response.text(), e);
        }
    }

    List<String> keys() {
        return all("Contents").stream().map(entry -> text(entry, "Key")).toList();
    }

    List<String> prefixes() {
        return all("CommonPrefixes").stream()
                .map(entry -> text(entry, "Prefix"))
                .toList();
    }

    List<Element> objects() {
        return all("Contents");
    }

    /** The text of an element of the listing itself. */
    Optional<String> field(String name) {
        return all(name).stream().findFirst().map(Element::getTextContent);
    }

    boolean isTruncated() {
        return field("IsTruncated").orElseThrow().equals("true");
    }

    static String text(Element entry, String name) {
        List<Element> found = children(entry, name);
        assertThat(found).as("%s of an entry", name).hasSize(1);
        return found.get(0).getTextContent();
    }

    static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private List<Element> all(String name) {
        return children(root, name);
    }
}
