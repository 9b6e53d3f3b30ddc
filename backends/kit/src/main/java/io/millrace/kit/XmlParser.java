package io.millrace.kit;

import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Parses received XML documents, in UTF-8. It rejects document types, entities other than XML's own, and documents
 * deeper or with more elements than any of S3.
 */
public final class XmlParser {
    /**
     * The largest request, in bytes: a completion of 10,000 parts with checksums, or 1,000 keys of 1,024 bytes, each
     * escaped.
     */
    public static final int MAX_BYTES = 8 << 20;

    private static final int MAX_DEPTH = 16;

    /**
     * The limit of attributes per element; S3 has two. For each name, the parser searches all namespaces declared above
     * it.
     */
    private static final int MAX_ATTRIBUTES = 16;

    /** A reference to a character that XML 1.0 lacks: how servers write such a character of a key. */
    private static final Pattern NO_CHARACTER = Pattern.compile(
            "&#(?:x0*(?:[0-8BCEF]|1[0-9A-F]|FFF[EF])|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|6553[45]));",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern ENCODING = Pattern.compile("\\sencoding\\s*=\\s*[\"']([^\"']*)");
    private static final String BLANKS = " \t\r\n";
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** The limit of elements: 10,000 parts of seven elements. */
    private static final int MAX_ELEMENTS = 100_000;

    private static final XMLInputFactory FACTORY = factory();

    private XmlParser() {}

    /** An element that is being read. */
    private record Open(String name, Map<String, String> attributes, StringBuilder text, List<XmlElement> children) {
        Open(String name, Map<String, String> attributes) {
            this(name, attributes, new StringBuilder(), new ArrayList<>());
        }

        XmlElement close() {
            return new XmlElement(name, attributes, text.toString(), children);
        }
    }

    /**
     * Parses a document and returns its root.
     *
     * @param roots the names that the root may have
     * @throws XmlException if it is not such a document
     */
    public static XmlElement parse(byte[] document, String... roots) {
        XmlElement root = parse(document);
        if (!List.of(roots).contains(root.name())) {
            throw new XmlException("%s where %s should be".formatted(root.name(), roots[0]));
        }
        return root;
    }

    /**
     * Parses a document that may repeat a key with characters that XML lacks, such as U+0001. References to them are
     * replaced by question marks, so this is for documents whose keys are not read.
     *
     * @throws XmlException if it is not such a document
     */
    public static XmlElement parseIgnoringKeys(byte[] document, String... roots) {
        try {
            return parse(document, roots);
        } catch (XmlException e) {
            String text = new String(document, StandardCharsets.ISO_8859_1);
            String replaced = NO_CHARACTER.matcher(text).replaceAll("?");
            if (replaced.equals(text)) {
                throw e;
            }
            return parse(replaced.getBytes(StandardCharsets.ISO_8859_1), roots);
        }
    }

    private static XmlElement parse(byte[] document) {
        try {
            String text = text(document);
            if (declaresItsType(text) || declaresAnotherEncoding(text)) {
                throw malformed();
            }
            return read(FACTORY.createXMLStreamReader(new StringReader(text)));
        } catch (XMLStreamException | CharacterCodingException | RuntimeException e) {
            // The JDK's parser also throws unchecked exceptions for malformed documents.
            throw malformed();
        }
    }

    /**
     * Decodes the document, because the JDK's parser prints a line for each document that is not in its encoding. Skips
     * the blanks that servers send before a document to keep a connection open.
     */
    private static String text(byte[] document) throws CharacterCodingException {
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(document))
                .toString();
        int start = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
        while (start < text.length() && BLANKS.indexOf(text.charAt(start)) >= 0) {
            start++;
        }
        return text.substring(start);
    }

    /**
     * Returns whether there is a document type declaration before the root. The JDK's parser would read it to its end
     * before it could be rejected.
     */
    private static boolean declaresItsType(String text) {
        int at = 0;
        while (at >= 0 && at < text.length()) {
            if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else if (text.startsWith("<?", at)) {
                at = endAfter("?>", text, at);
            } else if (text.startsWith("<!--", at)) {
                at = endAfter("-->", text, at);
            } else {
                break;
            }
        }
        return at >= 0 && text.startsWith("<!", at);
    }

    /** Returns whether the XML declaration names another encoding. The JDK's parser does not report that of XML 1.1. */
    private static boolean declaresAnotherEncoding(String text) {
        int end = text.startsWith("<?xml") ? endAfter("?>", text, 0) : -1;
        Matcher encoding = ENCODING.matcher(end < 0 ? "" : text.substring(0, end));
        return encoding.find() && !encoding.group(1).equalsIgnoreCase("UTF-8");
    }

    private static int endAfter(String end, String text, int from) {
        int found = text.indexOf(end, from);
        return found < 0 ? -1 : found + end.length();
    }

    private static XmlElement read(XMLStreamReader xml) throws XMLStreamException {
        Deque<Open> open = new ArrayDeque<>();
        int elements = 0;
        XmlElement root = null;
        while (xml.hasNext()) {
            switch (xml.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    elements++;
                    int attributes = xml.getAttributeCount() + xml.getNamespaceCount();
                    open.push(new Open(xml.getLocalName(), attributes > MAX_ATTRIBUTES ? Map.of() : attributes(xml)));
                    if (elements > MAX_ELEMENTS || open.size() > MAX_DEPTH || attributes > MAX_ATTRIBUTES) {
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

    private static Map<String, String> attributes(XMLStreamReader xml) {
        if (xml.getAttributeCount() == 0) {
            return Map.of();
        }
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            attributes.put(xml.getAttributeLocalName(i), xml.getAttributeValue(i));
        }
        return attributes;
    }

    private static XmlException malformed() {
        return new XmlException("no XML, or more of it than is accepted");
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        return factory;
    }
}
