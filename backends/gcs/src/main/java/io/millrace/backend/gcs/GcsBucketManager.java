package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists, creates and deletes the buckets of a project.
 *
 * @param location of new buckets; the server's default if empty
 */
record GcsBucketManager(GcsClient client, StorageJsonApi api, CompositeUploadStore uploads, Optional<String> location)
        implements BucketManager {
    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return project("listed").flatMap(project -> {
            GcsRequest request = GcsRequest.buckets("GET")
                    .with("fields", "items(name,timeCreated),nextPageToken")
                    .with("project", project);
            return client.exchange(GcsFailureContext.buckets(), request)
                    .expand(page -> Optional.of(page.path("nextPageToken").asString(""))
                            .filter(token -> !token.isEmpty())
                            .map(token ->
                                    client.exchange(GcsFailureContext.buckets(), request.with("pageToken", token)))
                            .orElse(Mono.empty()))
                    .concatMapIterable(GcsBucketManager::buckets)
                    .sort(Comparator.comparing(BucketInfo::name))
                    .collectList();
        });
    }

    /**
     * Asks for the bucket. Its resource needs a right that readers of objects lack; then a list of one object tells as
     * much.
     */
    @Override
    public Mono<BucketInfo> headBucket(BucketName bucket) {
        GcsFailureContext operation = GcsFailureContext.bucket("GET", bucket, false);
        return client.exchange(operation, GcsRequest.bucket("GET", bucket).with("fields", "name,timeCreated"))
                .map(resource -> new BucketInfo(bucket, created(resource)))
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.ACCESS_DENIED
                                ? api.requireBucket(bucket).thenReturn(new BucketInfo(bucket, Optional.empty()))
                                : Mono.error(failure));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return Mono.defer(() -> {
            NewObjectMetadata.of(bucket.headers());
            if (!bucket.tags().isEmpty()) {
                throw new BackendException(
                        FailureKind.UNSUPPORTED, "buckets of Google Cloud Storage have labels, not tags");
            }
            ObjectNode resource = JsonMapper.shared()
                    .createObjectNode()
                    .put("name", bucket.name().value());
            location.ifPresent(place -> resource.put("location", place));
            return project("created")
                    .flatMap(project -> client.exchange(
                            GcsFailureContext.bucket("creation", bucket.name(), true),
                            GcsRequest.buckets("POST").with("project", project),
                            resource))
                    .onErrorResume(
                            BackendException.class,
                            failure -> isConflict(failure) ? exists(bucket.name()) : Mono.error(failure))
                    .then();
        });
    }

    /** Deletes a bucket. If it holds nothing but uploads in progress, they are aborted, as S3 does. */
    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return deleteEmpty(bucket)
                .onErrorResume(
                        BackendException.class,
                        failure -> isConflict(failure) ? deleteWithUploads(bucket) : Mono.error(failure));
    }

    private Mono<Void> deleteWithUploads(BucketName bucket) {
        BackendException notEmpty = conflict(
                "BucketNotEmpty",
                "The bucket you tried to delete is not empty.",
                "bucket %s is not empty".formatted(bucket));
        return api.listAll(ObjectListQuery.below(bucket, ""))
                .any(object -> !HiddenObjectPrefix.contains(object.name()))
                .flatMap(hasObjects -> hasObjects
                        ? Mono.error(notEmpty)
                        : uploads.deleteAll(bucket).then(deleteEmpty(bucket)))
                .onErrorMap(BackendException.class, failure -> isConflict(failure) ? notEmpty : failure);
    }

    private Mono<Void> deleteEmpty(BucketName bucket) {
        return client.exchange(GcsFailureContext.bucket("deletion", bucket, true), GcsRequest.bucket("DELETE", bucket))
                .then();
    }

    /** Names of buckets are shared with everybody: one that this backend cannot see belongs to somebody else. */
    private <T> Mono<T> exists(BucketName bucket) {
        return headBucket(bucket)
                .onErrorMap(
                        BackendException.class,
                        failure -> conflict(
                                "BucketAlreadyExists",
                                "The requested bucket name is not available.",
                                "bucket %s belongs to somebody else".formatted(bucket)))
                .flatMap(found -> Mono.error(conflict(
                        "BucketAlreadyOwnedByYou",
                        "Your previous request to create the named bucket succeeded and you already own it.",
                        "bucket %s is there".formatted(bucket))));
    }

    private Mono<String> project(String what) {
        return client.project()
                .flatMap(found -> found.map(Mono::just)
                        .orElseGet(() -> Mono.error(new BackendException(
                                FailureKind.UNSUPPORTED,
                                "without a project buckets are not %s: set project for this backend"
                                        .formatted(what)))));
    }

    private static List<BucketInfo> buckets(JsonNode page) {
        List<BucketInfo> buckets = new ArrayList<>();
        for (JsonNode item : page.path("items")) {
            String name = item.path("name").asString("");
            if (BucketName.isValid(name)) {
                buckets.add(new BucketInfo(new BucketName(name), created(item)));
            }
        }
        return buckets;
    }

    private static Optional<Instant> created(JsonNode bucket) {
        try {
            return Optional.of(Instant.parse(bucket.path("timeCreated").asString("")));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** The emulator responds with 412 where the server does with 409. */
    private static boolean isConflict(BackendException failure) {
        return failure.kind() == FailureKind.PRECONDITION_FAILED
                || failure.s3Error().filter(error -> error.status() == 409).isPresent();
    }

    private static BackendException conflict(String code, String words, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(409, code, words));
    }
}
