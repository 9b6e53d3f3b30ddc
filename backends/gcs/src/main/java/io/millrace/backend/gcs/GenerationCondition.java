package io.millrace.backend.gcs;

import java.util.Optional;

/**
 * A precondition on the generation of an object, which the server evaluates in one step with a write.
 *
 * @param match the generation that the object must have; 0 for none
 * @param notMatch the generation that it must not have; 0 for none
 */
record GenerationCondition(Optional<Long> match, Optional<Long> notMatch) {
    /** No condition. */
    static final GenerationCondition ANY = new GenerationCondition(Optional.empty(), Optional.empty());

    /** The object must not exist. */
    static final GenerationCondition ABSENT = of(0);

    /** The object must exist. */
    static final GenerationCondition EXISTS = new GenerationCondition(Optional.empty(), Optional.of(0L));

    /** The object must have this generation. */
    static GenerationCondition of(long generation) {
        return new GenerationCondition(Optional.of(generation), Optional.empty());
    }

    GcsRequest addTo(GcsRequest request) {
        return request.with("ifGenerationMatch", match).with("ifGenerationNotMatch", notMatch);
    }
}
