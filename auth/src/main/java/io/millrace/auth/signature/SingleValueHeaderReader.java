package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignedRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads request headers that may occur only once, and refuses repeated ones as ambiguous. */
final class SingleValueHeaderReader {
    private SingleValueHeaderReader() {}

    /** Returns the header's value, or null if it is absent; repeated headers are refused. */
    static @Nullable String find(SignedRequest request, String name) throws RequestVerificationException {
        List<String> values = request.headerValues(name);
        if (values.size() > 1) {
            throw new RequestVerificationException(
                    Code.INVALID_ARGUMENT, "The request has the header " + name + " more than once.");
        }
        return values.isEmpty() ? null : values.get(0);
    }
}
