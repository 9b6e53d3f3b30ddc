package io.millrace.auth;

import io.millrace.auth.AuthException.Code;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** The refusal of a presigned URL that is past its time. */
final class Expired {
    private Expired() {}

    /** It was good until {@code end}, included. */
    static AuthException at(Instant end, Instant now) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("Expires", end.toString());
        details.put("ServerTime", now.toString());
        return new AuthException(Code.EXPIRED, "Request has expired", details);
    }
}
