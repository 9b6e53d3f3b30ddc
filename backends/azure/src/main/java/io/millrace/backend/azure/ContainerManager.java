package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Lists, creates and deletes containers. */
record ContainerManager(BlobClient client, BlobLister lister) implements BucketManager {
    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        BlobRequestContext context = BlobRequestContext.query("list of containers", FailureKind.UNEXPECTED);
        return page("").expand(page ->
                        Mono.justOrEmpty(page.nonEmptyTextOf("NextMarker")).flatMap(this::page))
                .flatMapIterable(ContainerManager::containers)
                .sort(Comparator.comparing(BucketInfo::name))
                .collectList()
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        BlobRequestContext context = BlobRequestContext.query("HEAD of container " + name, FailureKind.NO_SUCH_BUCKET);
        return Mono.defer(() -> {
                    BlobNameRules.requireContainer(name);
                    return client.exchange(BlobRequest.to("HEAD", name));
                })
                .thenReturn(new BucketInfo(name, Optional.empty()))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        BlobRequestContext context = BlobRequestContext.write("creation", bucket.name());
        return Mono.defer(() -> client.exchange(creation(bucket)))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then();
    }

    /**
     * Deletes an empty container. Azure deletes one with its blobs, so this looks first: a write in between is lost.
     */
    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        BlobRequestContext context = BlobRequestContext.write("DELETE", bucket);
        return lister.isEmpty(bucket)
                .flatMap(empty -> empty
                        ? client.exchange(BlobRequest.to("DELETE", bucket))
                        : Mono.<BufferedResponse>error(notEmpty()))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then();
    }

    private static BlobRequest creation(NewBucket bucket) {
        if (!BlobNameRules.isContainer(bucket.name())) {
            throw new BackendException(FailureKind.INVALID_REQUEST, BlobNameRules.CONTAINER_NAMES)
                    .withS3Error(new S3Error(400, "InvalidBucketName", BlobNameRules.CONTAINER_NAMES));
        }
        if (!bucket.tags().isEmpty()) {
            throw new BackendException(FailureKind.UNSUPPORTED, "containers have no tags");
        }
        BlobHeaderMapper.requireAccepted(bucket.headers());
        return BlobRequest.to("PUT", bucket.name());
    }

    private static BackendException notEmpty() {
        String message = "The bucket you tried to delete is not empty";
        return new BackendException(FailureKind.INVALID_REQUEST, message)
                .withS3Error(new S3Error(409, "BucketNotEmpty", message));
    }

    private Mono<XmlElement> page(String marker) {
        return client.exchange(BlobRequest.toAccount("GET").with("comp", "list").withNonEmpty("marker", marker))
                .map(reply -> XmlParser.parse(reply.bytes(), "EnumerationResults"));
    }

    /** Returns the containers of a page that can be buckets: not {@code $root}, {@code $web} and {@code $logs}. */
    private static List<BucketInfo> containers(XmlElement page) {
        return page.all("Containers")
                .flatMap(containers -> containers.all("Container"))
                .map(container -> container.requiredTextOf("Name"))
                .filter(BucketName::isValid)
                .map(name -> new BucketInfo(new BucketName(name), Optional.empty()))
                .toList();
    }
}
