package io.millrace.backend.http.xml;

/** Signals that a received document is not the XML that it should be. */
public final class XmlException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public XmlException(String message) {
        super(message);
    }
}
