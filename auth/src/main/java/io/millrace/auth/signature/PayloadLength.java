package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Determines the length of a request body after decoding, from the request headers. */
final class PayloadLength {
    private static final Pattern BYTES = Pattern.compile("[0-9]{1,18}");

    private PayloadLength() {}

    /**
     * Returns the length in bytes; fails if no header states it, if headers contradict each other, or if it is above
     * {@code longest}.
     *
     * @param chunked whether the body is in aws-chunked, which is longer on the wire
     */
    static long of(PayloadHeaders headers, boolean chunked, long longest) throws RequestVerificationException {
        String onWire = headers.find(PayloadHeaders.LENGTH);
        String decoded = headers.find(PayloadHeaders.DECODED_LENGTH);
        long length = bytes(chunked ? decoded : onWire);
        if (chunked && onWire != null && bytes(onWire) < length) {
            throw PayloadErrors.wrongLength();
        }
        if (!chunked && decoded != null && bytes(decoded) != length) {
            throw PayloadErrors.invalid(
                    "x-amz-decoded-content-length and Content-Length differ, but the body is not chunked.");
        }
        if (length > longest) {
            throw PayloadErrors.tooLarge(length, longest);
        }
        return length;
    }

    private static long bytes(@Nullable String text) throws RequestVerificationException {
        // S3 treats a malformed length as an absent one.
        if (text == null || !BYTES.matcher(text).matches()) {
            throw PayloadErrors.missingLength();
        }
        return Long.parseLong(text);
    }
}
