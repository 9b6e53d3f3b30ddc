package io.millrace.gateway.s3.observe;

import java.util.Locale;

/**
 * Category of how a request ended, for meters and the access log: success, not modified, denied, client error,
 * throttled, server error, or broken off.
 */
public enum OutcomeCategory {
    /** Success. */
    OK,
    /** 304. */
    NOT_MODIFIED,
    /** 401 or 403. */
    DENIED,
    /** Another 4xx. */
    CLIENT_ERROR,
    /** 503, because the caller was beyond its own limits. */
    THROTTLED,
    /** Another 5xx. */
    SERVER_ERROR,
    /** The response broke off: the backend failed after the headers were sent. */
    BROKEN,
    /** The client disconnected before the end. */
    CLIENT_LEFT;

    /** Returns whether the gateway could not do what was asked for. */
    boolean isFailure() {
        return this == SERVER_ERROR || this == BROKEN;
    }

    /** Returns the name in meters and the access log. */
    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the outcome of a response that was sent completely. */
    public static OutcomeCategory ofStatus(int status) {
        if (status >= 500) {
            return SERVER_ERROR;
        }
        if (status >= 400) {
            return status == 401 || status == 403 ? DENIED : CLIENT_ERROR;
        }
        return status == 304 ? NOT_MODIFIED : OK;
    }
}
