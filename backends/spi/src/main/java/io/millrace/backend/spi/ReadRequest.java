package io.millrace.backend.spi;

import java.util.Optional;

/**
 * What is asked of an object.
 *
 * @param selection which bytes
 * @param conditions the client's preconditions
 * @param pin the version the answer must be of: a backend turns it into its own precondition, and an answer of another
 *     version is {@link BackendException.Kind#VERSION_CHANGED}
 * @param versionId the version to read, where the bucket has versions; {@code null} as text is S3's null version
 * @param checksums whether the stored checksums are wanted ({@code x-amz-checksum-mode})
 * @param fields what a backend that speaks S3 is told besides, under S3's names: the client's own key of encryption. Others
 *     are not asked such things
 */
public record ReadRequest(
        ObjectRef object,
        Selection selection,
        Conditions conditions,
        Optional<ObjectVersion> pin,
        Optional<String> versionId,
        boolean checksums,
        HeaderList fields) {

    /** Which bytes of an object. */
    public sealed interface Selection {
        /** All of them; the backend is sent no Range. */
        record Whole() implements Selection {}

        /** One range. */
        record Range(RangeSpec spec) implements Selection {}

        /** One part of a multipart upload, counted from 1 to 10,000. */
        record Part(int number) implements Selection {}
    }

    /** The whole object as it is now. */
    public static ReadRequest of(ObjectRef object) {
        return new ReadRequest(
                object,
                new Selection.Whole(),
                Conditions.NONE,
                Optional.empty(),
                Optional.empty(),
                false,
                HeaderList.EMPTY);
    }

    /** The same of other bytes. */
    public ReadRequest select(Selection other) {
        return new ReadRequest(object, other, conditions, pin, versionId, checksums, fields);
    }

    /** The same under these preconditions. */
    public ReadRequest onlyIf(Conditions others) {
        return new ReadRequest(object, selection, others, pin, versionId, checksums, fields);
    }

    /**
     * The same, tied to one version.
     *
     * @throws IllegalArgumentException if the version cannot be pinned
     */
    public ReadRequest pinnedTo(ObjectVersion version) {
        if (!version.canBePinned()) {
            throw new IllegalArgumentException("cannot be pinned: " + version);
        }
        return new ReadRequest(object, selection, conditions, Optional.of(version), versionId, checksums, fields);
    }

    /** The same of the version with this id. */
    public ReadRequest ofVersion(String id) {
        return new ReadRequest(object, selection, conditions, pin, Optional.of(id), checksums, fields);
    }

    /** The same, with the stored checksums. */
    public ReadRequest withChecksums() {
        return new ReadRequest(object, selection, conditions, pin, versionId, true, fields);
    }

    /** The same, telling the backend these fields besides. */
    public ReadRequest telling(HeaderList more) {
        return new ReadRequest(object, selection, conditions, pin, versionId, checksums, more);
    }
}
