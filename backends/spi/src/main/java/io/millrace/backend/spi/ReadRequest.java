package io.millrace.backend.spi;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import java.util.Optional;

/**
 * A request to read an object or its metadata.
 *
 * @param selection the bytes to read
 * @param conditions the client's preconditions
 * @param requiredVersion the version that the response must be of: the backend turns it into its own precondition, and
 *     a response of another version fails with {@link BackendException.FailureKind#VERSION_CHANGED}
 * @param versionId the version to read, where the bucket has versions; {@code null} as text is S3's null version
 * @param checksums whether to return the stored checksums ({@code x-amz-checksum-mode})
 * @param headers further S3 request headers: the client's own encryption key (SSE-C). Only backends that speak S3 get
 *     such requests
 */
public record ReadRequest(
        ObjectRef object,
        ByteSelection selection,
        ReadConditions conditions,
        Optional<ObjectVersion> requiredVersion,
        Optional<String> versionId,
        boolean checksums,
        HeaderList headers) {

    /** The selection of an object's bytes. */
    public sealed interface ByteSelection {
        /** All bytes; the request has no Range header. */
        record WholeObject() implements ByteSelection {}

        /** One range. */
        record RangeSelection(RangeSpec spec) implements ByteSelection {}

        /** One part of a multipart upload, 1 to 10,000. */
        record PartSelection(int number) implements ByteSelection {}
    }

    /** Returns a request for the whole current object. */
    public static ReadRequest of(ObjectRef object) {
        return new ReadRequest(
                object,
                new ByteSelection.WholeObject(),
                ReadConditions.NONE,
                Optional.empty(),
                Optional.empty(),
                false,
                HeaderList.EMPTY);
    }

    /** Returns a copy with another selection. */
    public ReadRequest withSelection(ByteSelection other) {
        return new ReadRequest(object, other, conditions, requiredVersion, versionId, checksums, headers);
    }

    /** Returns a copy with these preconditions. */
    public ReadRequest withConditions(ReadConditions others) {
        return new ReadRequest(object, selection, others, requiredVersion, versionId, checksums, headers);
    }

    /**
     * Returns a copy whose response must be of this version.
     *
     * @throws IllegalArgumentException if the version has no strong validator
     */
    public ReadRequest requireVersion(ObjectVersion version) {
        if (!version.hasStrongValidator()) {
            throw new IllegalArgumentException("cannot be pinned: " + version);
        }
        return new ReadRequest(object, selection, conditions, Optional.of(version), versionId, checksums, headers);
    }

    /** Returns a copy for the version with this id. */
    public ReadRequest withVersionId(String id) {
        return new ReadRequest(object, selection, conditions, requiredVersion, Optional.of(id), checksums, headers);
    }

    /** Returns a copy that asks for the stored checksums. */
    public ReadRequest withChecksums() {
        return new ReadRequest(object, selection, conditions, requiredVersion, versionId, true, headers);
    }

    /** Returns a copy with these further headers. */
    public ReadRequest withHeaders(HeaderList more) {
        return new ReadRequest(object, selection, conditions, requiredVersion, versionId, checksums, more);
    }
}
