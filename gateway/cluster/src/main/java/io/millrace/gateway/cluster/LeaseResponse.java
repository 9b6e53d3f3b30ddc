package io.millrace.gateway.cluster;

import java.util.Map;

/** The response of a member to the request for its lease. */
sealed interface LeaseResponse {
    /** The requesting member is not on this member's list. */
    record NotListed() implements LeaseResponse {}

    /** A session of this member's announcements to the requesting one. */
    sealed interface SessionState extends LeaseResponse {
        /** Returns the session to follow. */
        SessionId session();

        /** Returns the buckets that the requesting member has missed and not yet invalidated, each with a number. */
        Map<BackendBucket, Long> missed();
    }

    /** A new session, which the next request confirms. */
    record NewSession(SessionId session, Map<BackendBucket, Long> missed) implements SessionState {}

    /**
     * The state of the session that the request names.
     *
     * @param announced the number of the last announcement
     * @param granted whether the lease is granted, from the time at which the request was sent
     */
    record Renewal(SessionId session, long announced, Map<BackendBucket, Long> missed, boolean granted)
            implements SessionState {}
}
