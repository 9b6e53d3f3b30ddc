package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The check that a success is of the server that was asked, and not of something before it that says 200 with a page
 * for people: under maintenance, sign in, no such host. Otherwise what never happened would be acknowledged.
 */
public final class AcknowledgementCheck {
    /** As much of a body as tells a page; more than blanks and a byte order mark take. */
    private static final int BEGINNING = 256;

    private static final List<String> OF_A_STORE = List.of(
            "x-amz-request-id", "x-amz-bucket-region", "x-trans-id", "x-guploader-uploadid", "x-goog-generation");

    private AcknowledgementCheck() {}

    /**
     * Returns a response that is no page.
     *
     * @throws BackendException of kind INVALID_RESPONSE if it is one
     */
    public static BufferedResponse requireNoPage(BufferedResponse response) {
        if (response.bytes().length == 0) {
            // A page has something to say; an empty success with a tag names what was written.
            if (response.header("etag").isEmpty()) {
                requireNoPage(response.fields());
            }
            return response;
        }
        requireNoPage(response.header("content-type").orElse(null));
        int length = Math.min(BEGINNING, response.bytes().length);
        String beginning = new String(response.bytes(), 0, length, StandardCharsets.ISO_8859_1)
                .replaceFirst("^\u00EF\u00BB\u00BF", "")
                .stripLeading()
                .toLowerCase(Locale.ROOT);
        if (beginning.startsWith("<!doctype html") || beginning.startsWith("<html")) {
            throw page();
        }
        return response;
    }

    /**
     * Checks the headers of a response without a body. OpenStack Swift, moto and Google's XML API call nothing a page
     * too, but name the request.
     *
     * @throws BackendException of kind INVALID_RESPONSE if it has the type of a page, and no name of an object store
     */
    public static void requireNoPage(HeaderList fields) {
        if (isPage(fields)) {
            throw page();
        }
    }

    /** Returns whether these headers are of a page: they have its type, and no name of an object store. */
    public static boolean isPage(HeaderList fields) {
        return !isOfAStore(fields) && isPage(fields.first("content-type").orElse(null));
    }

    /** Returns whether these headers name an object store, as no web server does. */
    public static boolean isOfAStore(HeaderList fields) {
        return OF_A_STORE.stream().anyMatch(field -> fields.first(field).isPresent());
    }

    private static void requireNoPage(@Nullable String contentType) {
        if (isPage(contentType)) {
            throw page();
        }
    }

    private static boolean isPage(@Nullable String contentType) {
        String type = contentType == null ? "" : contentType.strip().toLowerCase(Locale.ROOT);
        return type.startsWith("text/html") || type.startsWith("application/xhtml");
    }

    /**
     * Returns a response without a body, as a deletion has.
     *
     * @throws BackendException of kind INVALID_RESPONSE if it has one
     */
    public static BufferedResponse requireEmpty(BufferedResponse response) {
        if (response.bytes().length > 0) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "success with a body of %d bytes, which a deletion does not have; the outcome is unknown"
                            .formatted(response.bytes().length));
        }
        return response;
    }

    private static BackendException page() {
        return new BackendException(
                FailureKind.INVALID_RESPONSE,
                "the response is a web page: something in front of the server has sent it in the server's place, or"
                        + " the backend's URL is that of no such server");
    }
}
