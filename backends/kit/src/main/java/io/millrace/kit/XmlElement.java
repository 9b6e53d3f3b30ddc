package io.millrace.kit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An element of a received XML document, without its namespace; so are its attributes. Its text is only what stands
 * directly inside, unchanged.
 */
public record XmlElement(String name, Map<String, String> attributes, String text, List<XmlElement> children) {
    public XmlElement {
        attributes = Map.copyOf(attributes);
        children = List.copyOf(children);
    }

    /** Returns all children with a name, in order. */
    public Stream<XmlElement> all(String child) {
        return children.stream().filter(c -> c.name.equals(child));
    }

    /** Returns the first child with a name. */
    public Optional<XmlElement> first(String child) {
        return all(child).findFirst();
    }

    /**
     * Returns the text of the first child with a name.
     *
     * @throws XmlException if the child contains elements, because parsers differ in its text then
     */
    public Optional<String> textOf(String child) {
        return first(child).map(XmlElement::onlyText);
    }

    /** Returns the text of the first child with a name; empty if there is none or its text is empty. */
    public Optional<String> nonEmptyTextOf(String child) {
        return textOf(child).filter(said -> !said.isEmpty());
    }

    /**
     * Returns the text of the first child with a name.
     *
     * @throws XmlException if there is none or its text is empty
     */
    public String requiredTextOf(String child) {
        return nonEmptyTextOf(child).orElseThrow(() -> new XmlException("%s without %s".formatted(name, child)));
    }

    public boolean isTrue(String child) {
        return textOf(child).filter("true"::equalsIgnoreCase).isPresent();
    }

    private String onlyText() {
        if (!children.isEmpty()) {
            throw new XmlException("%s contains elements".formatted(name));
        }
        return text;
    }
}
