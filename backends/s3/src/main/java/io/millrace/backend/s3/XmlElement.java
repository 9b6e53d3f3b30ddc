package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of an answer in XML, in the order of the document.
 *
 * @param text what stands directly in it
 */
record XmlElement(String name, String text, List<XmlElement> children) {
    /** S3's answers have four levels. */
    private static final int MAX_DEPTH = 32;

    private static final XMLInputFactory XML = factory();

    /**
     * The root, which has to have this name, or one of these.
     *
     * @throws BackendException with {@link Kind#BROKEN_ANSWER} if there is no such document
     */
    static XmlElement read(byte[] document, String... roots) {
        try {
            XMLStreamReader xml = reader(document);
            xml.nextTag();
            XmlElement found = element(xml, 0);
            if (!List.of(roots).contains(found.name())) {
                throw broken("%s where %s should be".formatted(found.name(), roots[0]));
            }
            return found;
        } catch (XMLStreamException e) {
            throw broken("no XML where %s should be".formatted(roots[0]));
        }
    }

    /** A reader that opens nothing else. What servers send to keep a connection open may stand before the document. */
    static XMLStreamReader reader(byte[] document) throws XMLStreamException {
        int start = 0;
        while (start < document.length && document[start] <= ' ' && document[start] >= 0) {
            start++;
        }
        return XML.createXMLStreamReader(new ByteArrayInputStream(document, start, document.length - start));
    }

    Stream<XmlElement> all(String child) {
        return children.stream().filter(element -> element.name().equals(child));
    }

    Optional<XmlElement> first(String child) {
        return all(child).findFirst();
    }

    /** The text of a child; empty if there is none, or nothing in it. */
    Optional<String> textOf(String child) {
        return first(child).map(XmlElement::text).filter(said -> !said.isEmpty());
    }

    /** The same of one that has to be there. */
    String requiredTextOf(String child) {
        return textOf(child).orElseThrow(() -> broken("%s without %s".formatted(name, child)));
    }

    boolean isTrue(String child) {
        return textOf(child).filter("true"::equalsIgnoreCase).isPresent();
    }

    static BackendException broken(String what) {
        return new BackendException(Kind.BROKEN_ANSWER, "the answer cannot be read: " + what);
    }

    /** From its start to its end. */
    private static XmlElement element(XMLStreamReader xml, int depth) throws XMLStreamException {
        if (depth > MAX_DEPTH) {
            throw broken("elements in elements without end");
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
        throw broken("%s has no end".formatted(name));
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }
}
