package io.millrace.gateway.s3.observe;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One request: a line of the access log. It holds no secrets: of the request neither the query nor another header than
 * two; and no more than some kilobytes, whatever a client sends.
 *
 * @param time when the request ended
 * @param requestId as in the response and the other logs
 * @param address of the client
 * @param scheme {@code https} or {@code http}; empty if the request could not be read
 * @param identity name of the identity; empty if nobody was authenticated
 * @param operation as S3 names it; empty if the request was rejected before it was known
 * @param path without the query; its first 1,100 characters, which all of S3's keys with their buckets have room in
 * @param status 0 if no response was sent
 * @param error code of the error response, which a backend may choose; its first 64 characters; empty if there was none
 * @param cache the result of the cache; empty if no cache or backend was involved
 * @param backend name of the backend of an authorized request's bucket, or of the Hub port
 * @param bucket as the client named it
 * @param range the header; its first 128 characters
 * @param userAgent as the client calls itself; its first 256 characters
 * @param bytesIn announced length of an authorized request's body
 * @param bytesOut bytes of the response's body that were sent
 * @param items those that a batch asked for; empty for another request
 * @param failedItems those of them that were not sent, of what the batch came to
 * @param firstByteMicros time to the first byte of the response's body; empty if there was none
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record AccessLogEntry(
        @JsonFormat(shape = JsonFormat.Shape.STRING, pattern = TIME_PATTERN, timezone = "UTC")
        Instant time,

        String requestId,
        String address,
        Optional<String> scheme,
        Optional<String> identity,
        Optional<String> operation,
        String method,
        Optional<String> path,
        int status,
        String outcome,
        Optional<String> error,
        Optional<String> cache,
        Optional<String> backend,
        Optional<String> bucket,
        Optional<String> range,
        long bytesIn,
        long bytesOut,
        OptionalLong firstByteMicros,
        long totalMicros,
        OptionalInt items,
        OptionalInt failedItems,
        Optional<String> userAgent) {
    static final String TIME_PATTERN = "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'";

    private static final int LONGEST_METHOD = 32;
    private static final int LONGEST_CODE = 64;
    private static final int LONGEST_PATH = 1100;
    private static final int LONGEST_RANGE = 128;
    private static final int LONGEST_NAME = 256;

    AccessLogEntry {
        method = cut(method, LONGEST_METHOD);
        path = path.map(text -> cut(text, LONGEST_PATH));
        error = error.map(text -> cut(text, LONGEST_CODE));
        range = range.map(text -> cut(text, LONGEST_RANGE));
        identity = identity.map(text -> cut(text, LONGEST_NAME));
        userAgent = userAgent.map(text -> cut(text, LONGEST_NAME));
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest);
    }
}
