package io.millrace.gateway.jobs.request;

import java.util.Locale;

/** The kinds of jobs. */
public enum JobKind {
    /** Fetches objects into the cache. */
    PREFETCH,
    /** Copies objects to another bucket. */
    COPY,
    /** Fetches URLs into a bucket. */
    DOWNLOAD,
    /** Removes objects from the cache. */
    EVICT,
    /** Compares cached blocks with the backend, or copies with their source. */
    VERIFY;

    /** Returns the word that requests use. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
