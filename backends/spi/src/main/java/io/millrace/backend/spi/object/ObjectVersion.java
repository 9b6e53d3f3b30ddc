package io.millrace.backend.spi.object;

import java.util.Optional;

/**
 * One immutable content of a key, identified by validator and size. Bytes belong to a version, so that new content
 * never mixes with old.
 *
 * <p>The validator is opaque here: each backend turns it into its own version condition ({@code If-Match} for S3, a
 * generation for Google Cloud Storage). Only a {@link ValidatorStrength#STRONG} version can be required by a later
 * read; a version with a weak or no validator is read in one stream and never resumed or mixed.
 *
 * @param strength whether equal validators mean equal bytes
 * @param validator compared by the backend; empty for {@link ValidatorStrength#NONE}
 * @param size bytes of the whole object
 * @param versionId the backend's name for this version, where the bucket has versions
 */
public record ObjectVersion(ValidatorStrength strength, String validator, long size, Optional<String> versionId) {
    /** The strength of a validator, as RFC 9110, 8.8.1 defines it. */
    public enum ValidatorStrength {
        /** Equal validators mean equal bytes. */
        STRONG,
        /** Equal validators mean equivalent content, perhaps other bytes. */
        WEAK,
        /** The backend sent no validator. */
        NONE
    }

    /**
     * @throws IllegalArgumentException if {@code size} is negative, or the validator does not match its strength
     */
    public ObjectVersion {
        if (size < 0) {
            throw new IllegalArgumentException("negative size: " + size);
        }
        if (validator.isEmpty() != (strength == ValidatorStrength.NONE)) {
            throw new IllegalArgumentException("a %s version with validator '%s'".formatted(strength, validator));
        }
    }

    /** Returns the version with this entity tag and size; {@link ValidatorStrength#NONE} without a tag. */
    public static ObjectVersion ofETag(Optional<ETag> tag, long size, Optional<String> versionId) {
        ValidatorStrength strength = tag.map(t -> t.weak() ? ValidatorStrength.WEAK : ValidatorStrength.STRONG)
                .orElse(ValidatorStrength.NONE);
        return new ObjectVersion(strength, tag.map(ETag::toString).orElse(""), size, versionId);
    }

    /** Returns whether a later read can require exactly these bytes. */
    public boolean hasStrongValidator() {
        return strength == ValidatorStrength.STRONG;
    }
}
