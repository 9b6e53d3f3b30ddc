package io.millrace.gateway.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The fields of messages and files as JSON has them. A field that a release does not know is ignored, and one that is
 * missing is null, false or 0: what that means is up to the reader.
 */
final class JsonForms {
    /** The version of these forms; a later one means something else to who knows this one only. */
    static final int VERSION = 1;

    /** Nesting limit: a message has a list of objects with lists of objects. */
    private static final int DEEPEST = 8;

    private static final int LONGEST_NUMBER = 20;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxNumberLength(LONGEST_NUMBER)
                            .build())
                    // Any text of Java survives this, also one that is not valid Unicode, and no character is longer.
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build())
            .disable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
            .changeDefaultPropertyInclusion(values -> values.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    private JsonForms() {}

    static byte[] write(Object form) {
        return MAPPER.writeValueAsBytes(form);
    }

    /** Returns the form in these bytes; empty if they are not its JSON. */
    static <T> Optional<T> read(byte[] bytes, Class<T> form) {
        try {
            return Optional.ofNullable(MAPPER.readValue(bytes, form));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    record Session(long process, long number) {}

    record Bucket(@Nullable String backend, @Nullable String bucket) {}

    /** A missed or invalidated bucket, with the number of the record. */
    record Numbered(@Nullable String backend, @Nullable String bucket, long number) {}

    /** A version of an object. */
    record Version(@Nullable String key, @Nullable String version) {}

    /** Any announcement: that of a write has objects, that of an invalidation a prefix. */
    record Change(
            @Nullable String kind,
            @Nullable String backend,
            @Nullable String bucket,
            @Nullable List<String> keys,
            @Nullable List<Version> versions,
            boolean acknowledged,
            @Nullable String prefix) {}

    /** A {@link LeaseRequest}, with the fingerprints of backends by their names. */
    record Request(
            int version,
            @Nullable String member,
            long process,
            long lease,
            @Nullable Session session,
            long durable,
            @Nullable List<Numbered> invalidated,
            @Nullable Map<String, String> stores) {}

    /**
     * A {@link LeaseResponse} with the digest of the member's revocations, and whether it stops; without a session the
     * requesting member is not listed.
     */
    record Response(
            int version,
            @Nullable String kind,
            @Nullable Session session,
            long announced,
            @Nullable List<Numbered> missed,
            boolean granted,
            @Nullable Long revocations,
            boolean stopping) {}

    /** A decision on a revocation: without a time before which credentials are refused it is lifted. */
    record Decision(
            @Nullable String target,
            @Nullable String name,
            @Nullable String before,
            @Nullable String at) {}

    /** A {@link RevocationPage}. */
    record Revocations(
            int version,
            @Nullable List<Decision> decisions,
            @Nullable String after) {}

    /** An {@link AnnouncementBatch}. */
    record Batch(
            int version,
            @Nullable String member,
            @Nullable Session session,
            long first,
            @Nullable List<Change> announcements) {}

    /** A {@link Goodbye}. */
    record Leave(
            int version, @Nullable String member, @Nullable Session session, long announced) {}

    /** A file of {@link MissedRecords}. */
    record Missed(
            int version,
            @Nullable Map<String, List<Numbered>> missed,
            @Nullable List<Bucket> begun) {}

    /** A file of {@link KnownMembers}. */
    record Known(
            int version,
            @Nullable Set<String> members,
            @Nullable Set<String> confirmed,
            @Nullable Map<String, Long> goodbyes) {}

    record Lease(int version, long millis) {}

    /** A {@link RelayedRead}; the place is the bucket's name at the backend. */
    record Read(
            int version,
            @Nullable String kind,
            @Nullable String bucket,
            @Nullable String backend,
            @Nullable String place,
            @Nullable String key,
            @Nullable String versionId,
            @Nullable String range,
            @Nullable Content content,
            boolean revalidate,
            @Nullable String hops,
            @Nullable String partyKind,
            @Nullable String partyName) {}

    /** A version of an object's content. */
    record Content(
            @Nullable String strength,
            @Nullable String validator,
            long size,
            @Nullable String versionId) {}

    /** A header field of an object. */
    record Field(@Nullable String name, @Nullable String value) {}

    /** A {@link RelayedObject}, or a failure with the object's size if it is known. */
    record Stored(
            int version,
            @Nullable String failure,
            @Nullable Long size,
            @Nullable Content content,
            @Nullable String tag,
            @Nullable Long modified,
            @Nullable List<Field> fields,
            @Nullable String range,
            long age,
            @Nullable String status) {}
}
