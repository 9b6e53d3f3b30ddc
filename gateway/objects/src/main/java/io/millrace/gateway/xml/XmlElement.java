package io.millrace.gateway.xml;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Optional;

/**
 * An element of a client's XML document, without its namespace. Its text is only what stands directly inside,
 * unchanged.
 */
public record XmlElement(String name, String text, List<XmlElement> children) {
    public XmlElement {
        children = List.copyOf(children);
    }

    /** Returns all children with a name, in order. */
    public List<XmlElement> all(String child) {
        return children.stream().filter(c -> c.name.equals(child)).toList();
    }

    /** Returns the first child with a name. */
    public Optional<XmlElement> first(String child) {
        return children.stream().filter(c -> c.name.equals(child)).findFirst();
    }

    /**
     * Returns the text of the first child with a name.
     *
     * @throws S3Exception MalformedXML if the child contains elements, because parsers differ in its text then
     */
    public Optional<String> textOf(String child) {
        return first(child).map(XmlElement::onlyText);
    }

    private String onlyText() {
        if (!children.isEmpty()) {
            throw new S3Exception(S3ErrorCode.MALFORMED_XML);
        }
        return text;
    }
}
