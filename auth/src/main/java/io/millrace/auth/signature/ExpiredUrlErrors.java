package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** The refusal of a presigned URL that is past its time. */
final class ExpiredUrlErrors {
    private ExpiredUrlErrors() {}

    /** It was good until {@code end}, included. */
    static AuthException at(Instant end, Instant now) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("Expires", end.toString());
        details.put("ServerTime", now.toString());
        return new AuthException(Code.EXPIRED, "Request has expired", details);
    }
}
