package io.millrace.gateway.jobs.plan;

import java.util.Set;

/**
 * The form of the requests for one kind of jobs.
 *
 * @param kind the word that requests use, in lower case
 * @param needsTarget whether a request must have a {@code to}
 * @param fields those that not all kinds have; {@code from.urls} if it works on URLs and not on objects of a bucket
 */
public record RequestForm(String kind, boolean needsTarget, Set<String> fields) {
    /** Returns true if its jobs work on URLs, which are selected and fail by their lines. */
    public boolean isOfUrls() {
        return fields.contains("from.urls");
    }
}
