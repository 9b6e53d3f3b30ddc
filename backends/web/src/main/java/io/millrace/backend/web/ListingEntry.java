package io.millrace.backend.web;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An object or folder as an index or a manifest names it.
 *
 * @param name relative to the index; that of a folder ends in a slash
 * @param size in bytes; empty if it is unknown or rounded
 * @param lastModified empty if it is unknown
 */
record ListingEntry(String name, OptionalLong size, Optional<Instant> lastModified) {
    /** Returns an entry of which only the name is known. */
    static ListingEntry of(String name) {
        return new ListingEntry(name, OptionalLong.empty(), Optional.empty());
    }

    boolean isFolder() {
        return name.endsWith("/");
    }

    /** Returns whether a listing can show it without a request for its metadata. */
    boolean isComplete() {
        return size.isPresent() && lastModified.isPresent();
    }
}
