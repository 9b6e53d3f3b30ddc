package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Creates the errors for presigned URLs and upload forms whose signature has expired. */
final class ExpiredSignatureErrors {
    private ExpiredSignatureErrors() {}

    /** Returns the error for a signature that was valid up to and including {@code end}. */
    static RequestVerificationException at(Instant end, Instant now) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("Expires", end.toString());
        details.put("ServerTime", now.toString());
        return new RequestVerificationException(Code.EXPIRED, "Request has expired", details);
    }
}
