package io.millrace.gateway.cluster;

import java.util.List;

/**
 * Consecutive announcements of one session.
 *
 * @param member the name of the announcing member
 * @param first the number of the first announcement
 * @param announcements at least one
 */
record AnnouncementBatch(String member, SessionId session, long first, List<Announcement> announcements) {
    /** Returns the number of the last announcement. */
    public long last() {
        return first + announcements.size() - 1;
    }
}
