package io.millrace.gateway.write;

import java.util.EnumSet;
import java.util.Set;

/** What not every backend does as S3 does; each chooses cases. */
public enum OptionalFeature {
    /** Keeps checksums of every kind, also those that come behind the bytes. */
    ALL_CHECKSUMS,
    /** Keeps metadata of any bytes. */
    METADATA_IN_UTF8,
    /** Compares and writes in one step. */
    ATOMIC_CONDITIONS,
    /** Copies under conditions on the source. */
    CONDITIONAL_COPY,
    /** Copies under conditions on the target. */
    CONDITIONAL_COPY_TARGET,
    /** Refuses a copy of an object onto itself that changes nothing. */
    REFUSES_IDLE_COPY,
    /** Deletes under conditions. */
    CONDITIONAL_DELETE,
    /** Answers a completion that is repeated as the first. */
    COMPLETES_TWICE,
    /** Says so where an upload is not there. */
    MISSES_UPLOADS,
    /** Lists parts page by page. */
    PAGES_OF_PARTS,
    /** Looks at the order of parts. */
    PART_ORDER,
    /** Knows the parts of what was uploaded in parts. */
    REMEMBERS_PARTS,
    /** Sums uploads in parts. */
    COMPOSITE_CHECKSUMS,
    /** Says that a bucket which is made again is there. */
    TELLS_OWN_BUCKETS,
    /** Gives every field back as it came. */
    EXACT_FIELDS,
    /** Gives a key the fields of an upload in parts although another object was there. */
    REPLACES_FIELDS,
    /** Takes the end of a connection, before the end of a body, for an error. */
    DISCARDS_CUT_BODIES,
    /** Gives what is uploaded the tags of S3, which are of MD5 sums. */
    MD5_TAGS,
    /** Takes a CRC32C behind the bytes. */
    CRC32C_TRAILERS,
    /** Refuses headers of S3 that it does not know. */
    REFUSES_UNKNOWN_HEADERS;

    /**
     * Returns what a server has: {@code versitygw} (1.8), {@code localstack} (4.12), {@code fake-gcs} (1.56), {@code
     * azurite} (3.35), {@code millrace} over a folder, or all for any other.
     */
    public static Set<OptionalFeature> of(String server) {
        Set<OptionalFeature> all = EnumSet.allOf(OptionalFeature.class);
        switch (server) {
            case "versitygw" ->
                all.removeAll(EnumSet.of(
                        CONDITIONAL_COPY_TARGET,
                        CONDITIONAL_DELETE,
                        COMPLETES_TWICE,
                        PART_ORDER,
                        MISSES_UPLOADS,
                        REFUSES_UNKNOWN_HEADERS));
            case "localstack" ->
                all.removeAll(EnumSet.of(
                        CONDITIONAL_COPY_TARGET,
                        CONDITIONAL_DELETE,
                        COMPLETES_TWICE,
                        REMEMBERS_PARTS,
                        TELLS_OWN_BUCKETS,
                        DISCARDS_CUT_BODIES,
                        CRC32C_TRAILERS,
                        REFUSES_UNKNOWN_HEADERS));
            // As the emulator has them, a completion over an object keeps that one's Content-Type, and copies ignore
            // conditions. The rest no backend for Google can: metadata goes before the bytes, and parts are composed.
            case "fake-gcs" ->
                all.removeAll(EnumSet.of(ALL_CHECKSUMS, CONDITIONAL_COPY_TARGET, REPLACES_FIELDS, REMEMBERS_PARTS));
            // Nor can one for Azure, whose tags are its own.
            case "azurite" -> all.removeAll(EnumSet.of(ALL_CHECKSUMS, COMPOSITE_CHECKSUMS, MD5_TAGS, REMEMBERS_PARTS));
            default -> {}
        }
        return all;
    }
}
