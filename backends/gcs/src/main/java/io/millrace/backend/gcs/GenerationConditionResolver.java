package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Turns the condition of a write on a tag into one on a generation: the object is read, its tag compared, and the write
 * is conditional on the generation that was read. So the server decides in one step, whatever happens in between.
 */
record GenerationConditionResolver(StorageJsonApi api) {
    /**
     * Runs a write under a condition.
     *
     * @param write the write, given the condition that the server evaluates
     */
    <T> Mono<T> under(ObjectRef object, WriteCondition condition, Function<GenerationCondition, Mono<T>> write) {
        return resolve(object, condition)
                .flatMap(resolved -> write.apply(resolved)
                        .onErrorMap(BackendException.class, failure -> afterRace(condition, failure)));
    }

    /** Fails if the condition does not hold already now, to save the work before a conditional write. */
    Mono<Void> checkEarly(ObjectRef object, WriteCondition condition) {
        boolean mustBeAbsent = condition instanceof WriteCondition.IfAbsent;
        if (!mustBeAbsent && !(condition instanceof WriteCondition.IfExists)) {
            return resolve(object, condition).then();
        }
        return find(object)
                .flatMap(
                        found -> found.isPresent() == mustBeAbsent ? failed(object) : Mono.<GenerationCondition>empty())
                .then();
    }

    private Mono<GenerationCondition> resolve(ObjectRef object, WriteCondition condition) {
        if (condition instanceof WriteCondition.IfAbsent) {
            return Mono.just(GenerationCondition.ABSENT);
        }
        if (condition instanceof WriteCondition.IfExists) {
            return Mono.just(GenerationCondition.EXISTS);
        }
        if (condition instanceof WriteCondition.IfMatches matches) {
            return api.get(object)
                    .flatMap(found -> found.eTag().matchesStrongly(matches.tag()) ? of(found) : failed(object));
        }
        if (condition instanceof WriteCondition.IfDiffers differs) {
            return find(object)
                    .flatMap(found -> found.isEmpty()
                            ? Mono.just(GenerationCondition.ABSENT)
                            : isSame(found.get(), differs.tag()) ? failed(object) : of(found.get()));
        }
        return Mono.just(GenerationCondition.ANY);
    }

    /** Returns the metadata of an object; empty if there is none. */
    Mono<Optional<ObjectDescription>> find(ObjectRef object) {
        return api.get(object)
                .map(Optional::of)
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_KEY
                                ? Mono.just(Optional.empty())
                                : Mono.error(failure));
    }

    /**
     * After a race, an object with another tag may still have another one: S3 reports a conflict, and clients try
     * again.
     */
    private static BackendException afterRace(WriteCondition condition, BackendException failure) {
        return condition instanceof WriteCondition.IfDiffers && failure.kind() == FailureKind.PRECONDITION_FAILED
                ? new BackendException(FailureKind.INVALID_REQUEST, String.valueOf(failure.getMessage()))
                        .withS3Error(new S3Error(
                                409,
                                "ConditionalRequestConflict",
                                "The object was written by another request at the same time. Try again."))
                : failure;
    }

    private static boolean isSame(ObjectDescription found, ETag tag) {
        return found.eTag().matchesWeakly(tag);
    }

    private static Mono<GenerationCondition> of(ObjectDescription found) {
        return Mono.just(GenerationCondition.of(found.generation()));
    }

    private static Mono<GenerationCondition> failed(ObjectRef object) {
        return Mono.error(() -> new BackendException(
                FailureKind.PRECONDITION_FAILED, "the condition on %s does not hold".formatted(object)));
    }
}
