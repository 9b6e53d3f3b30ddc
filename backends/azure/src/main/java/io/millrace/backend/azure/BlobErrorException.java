package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;

/** An error response of the Blob service, before it is mapped to a {@code BackendException}. */
final class BlobErrorException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String text;
    private final transient HeaderList headers;

    private BlobErrorException(int status, String code, String text, HeaderList headers) {
        super("%d %s".formatted(status, code), null, false, false);
        this.status = status;
        this.code = code;
        this.text = text;
        this.headers = headers;
    }

    static BlobErrorException of(BufferedResponse reply) {
        String named = reply.header("x-ms-error-code").orElse("");
        try {
            XmlElement error = XmlParser.parse(reply.bytes(), "Error");
            String code = named.isEmpty() ? error.nonEmptyTextOf("Code").orElse("") : named;
            return new BlobErrorException(
                    reply.status(),
                    code,
                    firstLine(error.nonEmptyTextOf("Message").orElse("")),
                    reply.fields());
        } catch (XmlException none) {
            // A response to a HEAD, or of a proxy: the header or the status must suffice.
            return new BlobErrorException(reply.status(), named, "", reply.fields());
        }
    }

    /** Returns whether it means that there is no such blob, in a container that there is. */
    static boolean isOfAMissingBlob(Throwable failure) {
        return failure instanceof BlobErrorException refused
                && refused.status == 404
                && refused.isOfTheService()
                && !refused.code.equals("ContainerNotFound");
    }

    /** Returns whether the service refuses: any web server has a 403 and a 404, but not the ids of the service. */
    boolean isOfTheService() {
        return !code.isEmpty() || headers.first(BlobClient.REQUEST_ID).isPresent();
    }

    int status() {
        return status;
    }

    /** Returns the error code; empty if the response has none. */
    String code() {
        return code;
    }

    /** Returns the first line of the message; the others are ids and times. */
    String text() {
        return text;
    }

    HeaderList headers() {
        return headers;
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }
}
