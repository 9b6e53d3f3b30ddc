package io.millrace.kit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes S3's XML documents. Text is escaped; control characters, which keys may contain and XML 1.0 cannot, become
 * character references as in S3. Not thread-safe.
 */
public final class XmlWriter {
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
    private static final XMLOutputFactory FACTORY = XMLOutputFactory.newDefaultFactory();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    private final XMLStreamWriter xml;

    /** Starts a document with this root, in S3's namespace. */
    public static XmlWriter of(String root) {
        return new XmlWriter(root, NAMESPACE);
    }

    /** Starts a document with this root, in {@code namespace}. */
    public static XmlWriter of(String root, String namespace) {
        return new XmlWriter(root, namespace);
    }

    /** Starts a document with this root and no namespace, as S3's errors have it. */
    public static XmlWriter plain(String root) {
        return new XmlWriter(root, "");
    }

    private XmlWriter(String root, String namespace) {
        try {
            xml = FACTORY.createXMLStreamWriter(bytes, StandardCharsets.UTF_8.name());
            xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
            xml.writeStartElement(root);
            if (!namespace.isEmpty()) {
                xml.writeDefaultNamespace(namespace);
            }
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    /** Opens an element; {@link #close} closes it. */
    public XmlWriter open(String name) {
        try {
            xml.writeStartElement(name);
            return this;
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    /** Opens an element with an XML Schema type, as S3 writes grantees. */
    public XmlWriter typed(String name, String type) {
        try {
            xml.writeStartElement(name);
            xml.writeAttribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
            xml.writeAttribute("xsi:type", type);
            return this;
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    /** Closes the innermost open element. */
    public XmlWriter close() {
        try {
            xml.writeEndElement();
            return this;
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    /** Writes an element with text. */
    public XmlWriter element(String name, String text) {
        open(name);
        text(text);
        return close();
    }

    /** Writes an element with text, if there is text. */
    public XmlWriter element(String name, Optional<String> text) {
        return text.isPresent() ? element(name, text.get()) : this;
    }

    /** Returns the complete document. */
    public ByteBuffer bytes() {
        try {
            xml.writeEndDocument();
            xml.close();
            return ByteBuffer.wrap(bytes.toByteArray()).asReadOnlyBuffer();
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    private void text(String text) {
        try {
            int plain = 0;
            for (int i = 0; i < text.length(); i++) {
                if (needsReference(text.charAt(i))) {
                    xml.writeCharacters(text.substring(plain, i));
                    xml.writeEntityRef("#x" + Integer.toHexString(text.charAt(i)));
                    plain = i + 1;
                }
            }
            xml.writeCharacters(text.substring(plain));
        } catch (XMLStreamException e) {
            throw unexpected(e);
        }
    }

    /**
     * Returns whether a character needs a reference: control characters, and line ends and tabs, which a parser would
     * normalize.
     */
    private static boolean needsReference(char c) {
        return c < 0x20 || c == 0x7F || c == 0xFFFE || c == 0xFFFF;
    }

    private static IllegalStateException unexpected(XMLStreamException e) {
        return new IllegalStateException("writing XML to memory failed", e);
    }
}
