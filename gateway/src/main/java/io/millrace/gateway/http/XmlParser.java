package io.millrace.gateway.http;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.io.ByteArrayInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads XML that a client sent: no document type, no entities but XML's own, and neither deeper nor larger than any request of
 * S3's is.
 */
public final class XmlParser {
    /** The largest document: a completion of 10,000 parts with checksums, or 1,000 keys of 1,024 bytes, each escaped. */
    public static final int MAX_BYTES = 8 << 20;

    private static final int MAX_DEPTH = 16;

    /** 10,000 parts of seven elements. */
    private static final int MAX_ELEMENTS = 100_000;

    private static final XMLInputFactory FACTORY = factory();

    private XmlParser() {}

    /** An element that is being read. */
    private record Open(String name, StringBuilder text, List<XmlElement> children) {
        Open(String name) {
            this(name, new StringBuilder(), new ArrayList<>());
        }

        XmlElement close() {
            return new XmlElement(name, text.toString(), children);
        }
    }

    /**
     * The root of a document.
     *
     * @param root what its name must be
     * @throws S3Exception MalformedXML (400) if it is no such document
     */
    public static XmlElement parse(byte[] document, String root) {
        try {
            XMLStreamReader xml = FACTORY.createXMLStreamReader(new ByteArrayInputStream(document));
            XmlElement found = read(xml);
            if (!found.name().equals(root)) {
                throw malformed();
            }
            return found;
        } catch (XMLStreamException | RuntimeException e) {
            // The JDK's parser has also answered malformed documents with unchecked exceptions.
            throw malformed();
        }
    }

    private static XmlElement read(XMLStreamReader xml) throws XMLStreamException {
        Deque<Open> open = new ArrayDeque<>();
        int elements = 0;
        XmlElement root = null;
        while (xml.hasNext()) {
            switch (xml.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    elements++;
                    open.push(new Open(xml.getLocalName()));
                    if (elements > MAX_ELEMENTS || open.size() > MAX_DEPTH) {
                        throw malformed();
                    }
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
                    if (!open.isEmpty()) {
                        open.peek().text().append(xml.getText());
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    XmlElement ended = open.pop().close();
                    if (open.isEmpty()) {
                        root = ended;
                    } else {
                        open.peek().children().add(ended);
                    }
                }
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE -> throw malformed();
                default -> {}
            }
        }
        if (root == null) {
            throw malformed();
        }
        return root;
    }

    private static S3Exception malformed() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        return factory;
    }
}
