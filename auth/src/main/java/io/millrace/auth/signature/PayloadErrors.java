package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creates the errors for invalid request bodies, with S3's messages, which clients and test suites compare. */
final class PayloadErrors {
    private PayloadErrors() {}

    /** Returns the error for a body that is not valid aws-chunked or stops early. */
    static RequestVerificationException badFraming() {
        return new RequestVerificationException(Code.INCOMPLETE_BODY, "The request body terminated unexpectedly");
    }

    /** Returns the error for a body whose length differs from the announced one. */
    static RequestVerificationException wrongLength() {
        return new RequestVerificationException(
                Code.INCOMPLETE_BODY,
                "You did not provide the number of bytes specified by the Content-Length HTTP header");
    }

    static RequestVerificationException missingLength() {
        return new RequestVerificationException(
                Code.MISSING_CONTENT_LENGTH, "You must provide the Content-Length HTTP header.");
    }

    static RequestVerificationException tooLarge(long length, long longest) {
        return new RequestVerificationException(
                Code.ENTITY_TOO_LARGE,
                "Your proposed upload exceeds the maximum allowed object size.",
                details("ProposedSize", Long.toString(length), "MaxSizeAllowed", Long.toString(longest)));
    }

    static RequestVerificationException malformedTrailer() {
        return new RequestVerificationException(
                Code.MALFORMED_TRAILER,
                "The request contained trailing data that was not well-formed or did not conform to our published"
                        + " schema.");
    }

    static RequestVerificationException shortChunk(int next, long size) {
        return new RequestVerificationException(
                Code.INVALID_CHUNK_SIZE,
                "Only the last chunk is allowed to have a size less than 8192 bytes",
                details("Chunk", Integer.toString(next), "BadChunkSize", Long.toString(size)));
    }

    static RequestVerificationException longChunk(long size, int longest) {
        return new RequestVerificationException(
                Code.INVALID_REQUEST,
                "A signed chunk of " + size
                        + " bytes is too large: it is held until its signature is verified, so it may have"
                        + " at most " + longest + " bytes here.");
    }

    static RequestVerificationException wrongSignature(String of) {
        return new RequestVerificationException(
                Code.SIGNATURE_DOES_NOT_MATCH,
                "The signature of " + of
                        + " is not the one it has with your secret key: the body was changed on its way, or"
                        + " signed otherwise than the request.");
    }

    static RequestVerificationException invalid(String message) {
        return new RequestVerificationException(Code.INVALID_REQUEST, message);
    }

    static RequestVerificationException invalidValue(String header) {
        return invalid("Value for " + header + " header is invalid.");
    }

    static Map<String, String> details(String name, String value, String otherName, String otherValue) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put(name, value);
        details.put(otherName, otherValue);
        return details;
    }
}
