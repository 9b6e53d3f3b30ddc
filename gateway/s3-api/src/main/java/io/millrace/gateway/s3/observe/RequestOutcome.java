package io.millrace.gateway.s3.observe;

import java.util.Locale;

/** How a request ended, as few values as tell an operator what to do. */
public enum RequestOutcome {
    /** Answered with what was asked for. */
    OK,
    /** 304. */
    NOT_MODIFIED,
    /** 401 or 403. */
    DENIED,
    /** Another 4xx. */
    CLIENT_ERROR,
    /** 5xx. */
    SERVER_ERROR,
    /** The answer broke off: the backend failed behind the head. */
    BROKEN,
    /** The client left before the end. */
    CLIENT_LEFT;

    /** As meters and the access log tell it. */
    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The outcome of an answer that was written to its end. */
    public static RequestOutcome ofStatus(int status) {
        if (status >= 500) {
            return SERVER_ERROR;
        }
        if (status >= 400) {
            return status == 401 || status == 403 ? DENIED : CLIENT_ERROR;
        }
        return status == 304 ? NOT_MODIFIED : OK;
    }
}
