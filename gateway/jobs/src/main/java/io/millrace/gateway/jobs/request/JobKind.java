package io.millrace.gateway.jobs.request;

import java.util.Locale;

/** What a job does with the objects it is about. */
public enum JobKind {
    /** Brings them into the cache. */
    PREFETCH,
    /** Carries them to another bucket. */
    COPY,
    /** Fetches them from URLs. */
    DOWNLOAD,
    /** Takes them out of the cache. */
    EVICT,
    /** Compares what is cached, or was copied, with where it came from. */
    VERIFY;

    /** As it is written in a request. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
