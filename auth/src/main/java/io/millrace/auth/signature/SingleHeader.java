package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.SignedRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads headers whose meaning would be in doubt if they came twice. */
final class SingleHeader {
    private SingleHeader() {}

    /** The header's value, or null if there is none; several are refused. */
    static @Nullable String find(SignedRequest request, String name) throws AuthException {
        List<String> values = request.headerValues(name);
        if (values.size() > 1) {
            throw new AuthException(Code.INVALID_ARGUMENT, "The request has the header " + name + " more than once.");
        }
        return values.isEmpty() ? null : values.get(0);
    }
}
