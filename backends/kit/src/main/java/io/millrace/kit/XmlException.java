package io.millrace.kit;

/** Thrown if a received XML document cannot be parsed or does not have the expected content. */
public final class XmlException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public XmlException(String message) {
        super(message);
    }
}
