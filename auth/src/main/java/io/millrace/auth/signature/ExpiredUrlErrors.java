package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creates the error for a presigned URL or upload form that has expired. */
final class ExpiredUrlErrors {
    private ExpiredUrlErrors() {}

    /** Returns the error for a signature that was valid up to and including {@code end}. */
    static AuthException at(Instant end, Instant now) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("Expires", end.toString());
        details.put("ServerTime", now.toString());
        return new AuthException(Code.EXPIRED, "Request has expired", details);
    }
}
