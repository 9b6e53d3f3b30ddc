package io.millrace.gateway.xml;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Optional;

/**
 * An element of an XML document a client sent, without its name space. Text is that directly inside, as it came.
 */
public record XmlElement(String name, String text, List<XmlElement> children) {
    public XmlElement {
        children = List.copyOf(children);
    }

    /** All children of this name, in order. */
    public List<XmlElement> all(String child) {
        return children.stream().filter(c -> c.name.equals(child)).toList();
    }

    /** The first child of this name. */
    public Optional<XmlElement> first(String child) {
        return children.stream().filter(c -> c.name.equals(child)).findFirst();
    }

    /**
     * The text of the first child of this name.
     *
     * @throws S3Exception MalformedXML if there are elements in it: parsers differ in what its text is then
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
