package io.millrace.backend.spi;

import java.util.Optional;

/**
 * One content of a key. Bytes belong to a version, so that new content can never mix with old.
 *
 * <p>The validator is opaque here: each backend knows how to turn it into its own precondition, the <em>pin</em>
 * ({@code If-Match} for S3, a generation for Google Cloud Storage). Only a {@link Strength#STRONG} version can be
 * pinned; one that is weak or has no validator is read in one stream and never resumed or mixed.
 *
 * @param strength how far the validator can be trusted to tell two contents apart
 * @param validator what the backend compares; empty for {@link Strength#NONE}
 * @param size bytes of the whole object
 * @param versionId the backend's name for this version, where the bucket has versions
 */
public record ObjectVersion(Strength strength, String validator, long size, Optional<String> versionId) {
    /** How far a validator can be trusted. */
    public enum Strength {
        /** Equal validators mean equal bytes. */
        STRONG,
        /** Equal validators mean equivalent content, perhaps other bytes. */
        WEAK,
        /** The backend gave none. */
        NONE
    }

    /**
     * @throws IllegalArgumentException if {@code size} is negative, or the validator does not go with its strength
     */
    public ObjectVersion {
        if (size < 0) {
            throw new IllegalArgumentException("negative size: " + size);
        }
        if (validator.isEmpty() != (strength == Strength.NONE)) {
            throw new IllegalArgumentException("a %s version with validator '%s'".formatted(strength, validator));
        }
    }

    /** The version that an entity tag and a size name; {@link Strength#NONE} without a tag. */
    public static ObjectVersion ofETag(Optional<ETag> tag, long size, Optional<String> versionId) {
        Strength strength =
                tag.map(t -> t.weak() ? Strength.WEAK : Strength.STRONG).orElse(Strength.NONE);
        return new ObjectVersion(strength, tag.map(ETag::toString).orElse(""), size, versionId);
    }

    /** Whether a later read can be tied to exactly these bytes. */
    public boolean canBePinned() {
        return strength == Strength.STRONG;
    }
}
