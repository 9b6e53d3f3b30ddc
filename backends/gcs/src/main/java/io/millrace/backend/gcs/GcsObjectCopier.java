package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions.ConditionOutcome;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Copies objects at the server, by rewriting them. The source is read first, and copied only if it still has that
 * generation.
 */
final class GcsObjectCopier {
    /** The most times that the source may change between reading and copying it. */
    private static final int ATTEMPTS = 3;

    private final StorageJsonApi api;
    private final GenerationConditionResolver conditions;

    GcsObjectCopier(StorageJsonApi api) {
        this.api = api;
        this.conditions = new GenerationConditionResolver(api);
    }

    Mono<WriteResult> copy(CopySource source, NewObject target) {
        return Mono.defer(() -> {
            HiddenObjectPrefix.requireVisible(source.object());
            HiddenObjectPrefix.requireWritable(target.object());
            NewObjectMetadata given = NewObjectMetadata.of(target.headers());
            boolean replaces =
                    target.headers().first("x-amz-metadata-directive").stream().anyMatch("REPLACE"::equals);
            requireChange(source, target, given, replaces);
            return copy(source, target, given, replaces, ATTEMPTS);
        });
    }

    /** Returns the metadata of the source, whose conditions hold. */
    Mono<ObjectDescription> read(CopySource source) {
        return api.get(source.object()).doOnNext(found -> {
            if (source.versionId().filter(id -> !id.equals("null")).isPresent()) {
                throw new BackendException(
                        FailureKind.UNSUPPORTED, "versions of Google Cloud Storage are not copied by their ids");
            }
            if (source.conditions().evaluate(Optional.of(found.eTag()), found.lastModified())
                    != ConditionOutcome.PROCEED) {
                throw new BackendException(
                        FailureKind.PRECONDITION_FAILED, "a condition on %s does not hold".formatted(source.object()));
            }
        });
    }

    private Mono<WriteResult> copy(
            CopySource source, NewObject target, NewObjectMetadata given, boolean replaces, int attempts) {
        return read(source)
                .flatMap(found -> conditions
                        .under(
                                target.object(),
                                target.condition(),
                                resolved -> rewrite(
                                        source, found, target, fields(found, target, given, replaces), resolved))
                        .onErrorResume(
                                BackendException.class,
                                failure -> failure.kind() == FailureKind.PRECONDITION_FAILED && attempts > 1
                                        ? retryIfChanged(source, found, failure, target, given, replaces, attempts)
                                        : Mono.error(failure)));
    }

    private Mono<WriteResult> rewrite(
            CopySource source,
            ObjectDescription found,
            NewObject target,
            Optional<NewObjectMetadata> fields,
            GenerationCondition condition) {
        return api.rewrite(source.object(), found.generation(), target.object(), fields, condition)
                .map(stored -> GcsObjectWriter.result(stored, stored.lastModified()));
    }

    /** The server does not say whether source or target failed the condition. */
    private Mono<WriteResult> retryIfChanged(
            CopySource source,
            ObjectDescription found,
            BackendException failure,
            NewObject target,
            NewObjectMetadata given,
            boolean replaces,
            int attempts) {
        return api.get(source.object())
                .flatMap(now -> now.generation() == found.generation()
                        ? Mono.error(failure)
                        : copy(source, target, given, replaces, attempts - 1));
    }

    /** Returns the metadata of the copy; empty for that of the source, which the server copies itself. */
    private static Optional<NewObjectMetadata> fields(
            ObjectDescription source, NewObject target, NewObjectMetadata given, boolean replaces) {
        requireChecksum(source, target.headers());
        if (replaces) {
            return Optional.of(given.withContentOf(source));
        }
        return given.storageClass()
                .map(storageClass -> NewObjectMetadata.copyOf(source).withStorageClass(storageClass));
    }

    /** The server computes no checksum of a copy but its own. */
    private static void requireChecksum(ObjectDescription source, HeaderList headers) {
        Optional<ChecksumAlgorithm> wanted = UploadChecksumSpec.algorithm(headers);
        boolean isThere = wanted.map(algorithm -> algorithm == ChecksumAlgorithm.CRC32C
                        || source.checksums().first(algorithm.headerName()).isPresent())
                .orElse(true);
        if (!isThere) {
            throw new BackendException(
                    FailureKind.UNSUPPORTED,
                    "Google Cloud Storage computes no %s of a copy".formatted(wanted.orElseThrow()));
        }
    }

    private static void requireChange(CopySource source, NewObject target, NewObjectMetadata given, boolean replaces) {
        if (!replaces && given.storageClass().isEmpty() && source.object().equals(target.object())) {
            throw InvalidRequestErrors.error(
                    "InvalidRequest",
                    "This copy request is illegal because it is trying to copy an object to itself without changing the"
                            + " object's metadata, storage class, website redirect location or encryption attributes.");
        }
    }
}
