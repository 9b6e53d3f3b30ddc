package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of a parsed XML response, with its children in document order.
 *
 * @param text the character data directly inside
 */
public record XmlElement(String name, String text, List<XmlElement> children) {
    /** S3's documents have four levels. */
    private static final int MAX_DEPTH = 32;

    private static final XMLInputFactory XML = factory();

    /**
     * Parses a document and returns its root, which must have one of these names.
     *
     * @throws BackendException with {@link FailureKind#INVALID_RESPONSE} if the document is invalid or has another root
     */
    public static XmlElement read(byte[] document, String... roots) {
        try {
            XMLStreamReader xml = reader(document);
            xml.nextTag();
            XmlElement found = element(xml, 0);
            if (!List.of(roots).contains(found.name())) {
                throw invalid("%s where %s should be".formatted(found.name(), roots[0]));
            }
            return found;
        } catch (XMLStreamException e) {
            throw invalid("no XML where %s should be".formatted(roots[0]));
        }
    }

    /** Returns a reader without external entities. Skips the blanks that servers send before a document to keep a connection open. */
    public static XMLStreamReader reader(byte[] document) throws XMLStreamException {
        int start = 0;
        while (start < document.length && document[start] <= ' ' && document[start] >= 0) {
            start++;
        }
        return XML.createXMLStreamReader(new ByteArrayInputStream(document, start, document.length - start));
    }

    public Stream<XmlElement> all(String child) {
        return children.stream().filter(element -> element.name().equals(child));
    }

    public Optional<XmlElement> first(String child) {
        return all(child).findFirst();
    }

    /** Returns the text of the first such child; empty if there is none or its text is empty. */
    public Optional<String> textOf(String child) {
        return first(child).map(XmlElement::text).filter(said -> !said.isEmpty());
    }

    /** Returns the text of a required child; fails if it is missing or empty. */
    public String requiredTextOf(String child) {
        return textOf(child).orElseThrow(() -> invalid("%s without %s".formatted(name, child)));
    }

    public boolean isTrue(String child) {
        return textOf(child).filter("true"::equalsIgnoreCase).isPresent();
    }

    public static BackendException invalid(String what) {
        return new BackendException(FailureKind.INVALID_RESPONSE, "the response cannot be parsed: " + what);
    }

    /** Reads one element up to its end tag. */
    private static XmlElement element(XMLStreamReader xml, int depth) throws XMLStreamException {
        if (depth > MAX_DEPTH) {
            throw invalid("elements are nested too deeply");
        }
        String name = xml.getLocalName();
        StringBuilder text = new StringBuilder();
        List<XmlElement> children = new ArrayList<>();
        while (xml.hasNext()) {
            xml.next();
            if (xml.isStartElement()) {
                children.add(element(xml, depth + 1));
            } else if (xml.isEndElement()) {
                return new XmlElement(name, text.toString(), List.copyOf(children));
            } else if (xml.isCharacters()) {
                text.append(xml.getText());
            }
        }
        throw invalid("%s has no end tag".formatted(name));
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }
}
