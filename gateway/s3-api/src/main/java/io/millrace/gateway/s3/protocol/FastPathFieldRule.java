package io.millrace.gateway.s3.protocol;

import java.util.Locale;
import java.util.Set;

/**
 * The rule for the headers and parameters of a read that may be answered at once from memory: those that are served
 * there, and those without a meaning to this gateway. All others take the general path.
 */
public final class FastPathFieldRule {
    /** The meaning of a header to a GET or HEAD of an object. */
    public enum Meaning {
        /** Nothing reads it but the signature, if it is signed. */
        NONE,
        /** It is served at once. A header with several values may mean something else. */
        SERVED,
        /** Only the general path serves it. */
        NOT_SERVED
    }

    /** Read by the gate, by the parser of reads, or, for framing, by the server. */
    private static final Set<String> SERVED = Set.of(
            "authorization",
            "connection",
            "content-length",
            "content-md5",
            "content-type",
            "date",
            "host",
            "range",
            "x-minio-extract");

    private static final Set<String> NOT_SERVED = Set.of(
            // may demand a revalidation, or forbid a request to the backend
            "cache-control",
            // is answered before the body
            "expect",
            // the response tells a browser's script what it may read
            "origin",
            // change the framing of this request, the next or the response
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    /**
     * Conditions of reads and ranges, which may contradict the cached metadata; and what gateways say to each other.
     */
    private static final String[] NOT_SERVED_PREFIXES = {"if-", "x-millrace-"};

    private FastPathFieldRule() {}

    /** Returns the meaning of a header, whose name is in lower case. */
    public static Meaning ofHeader(String name) {
        if (name.startsWith("x-amz-")) {
            return SupportedAmzHeaders.isServedAtOnce(name) ? Meaning.SERVED : Meaning.NOT_SERVED;
        }
        if (SERVED.contains(name)) {
            return Meaning.SERVED;
        }
        for (String prefix : NOT_SERVED_PREFIXES) {
            if (name.startsWith(prefix)) {
                return Meaning.NOT_SERVED;
            }
        }
        return NOT_SERVED.contains(name) ? Meaning.NOT_SERVED : Meaning.NONE;
    }

    /**
     * Returns whether all parameters of a target may be served at once: those of signatures, those that replace headers
     * which may, those that set headers of the response, and those without an effect. A name that is percent-encoded
     * may not.
     *
     * @param rawTarget as received
     */
    public static boolean servesParameters(String rawTarget) {
        int start = rawTarget.indexOf('?') + 1;
        while (start > 0) {
            int next = rawTarget.indexOf('&', start);
            int end = next < 0 ? rawTarget.length() : next;
            int equals = rawTarget.indexOf('=', start);
            if (!servesParameter(rawTarget, start, equals < 0 || equals > end ? end : equals)) {
                return false;
            }
            start = next + 1;
        }
        return true;
    }

    private static boolean servesParameter(String rawTarget, int start, int end) {
        String name = rawTarget.substring(start, end);
        String lower = name.toLowerCase(Locale.ROOT);
        return Router.isOfAll(lower)
                || Router.isIgnored(lower)
                || SupportedAmzHeaders.isServedAtOnce(lower)
                || (name.startsWith("response-") && S3Operation.GET_OBJECT.hasParameter(name));
    }
}
