package io.millrace.backend.hub;

import io.millrace.backend.http.ReadOnlyBackend;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * A read-only backend over the Hugging Face Hub. The buckets are {@code models}, {@code datasets} and {@code spaces}; a
 * further one, {@code api}, has the documents of the Hub's API, for the gateway's own Hub port.
 */
final class HubBackend implements ReadOnlyBackend {
    /** The most bytes of documents and lists that are read at a time. */
    private static final long MAX_DOCUMENT_BYTES = 128 << 20;

    /**
     * The longest wait of a caller for a list or document of many pages: less than the usual deadline of a backend's
     * requests.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HubClient client;
    private final ObjectReader files;
    private final ObjectReader documents;
    private final HubObjectLister lister;

    HubBackend(String name, HubBackendSettings settings) {
        client = new HubClient(name, settings);
        Credentials operator = Credentials.ofOperator(settings.token());
        WebRequestExceptionMapper failures = new WebRequestExceptionMapper(name, client.root());
        DocumentMemoryBudget memory = new DocumentMemoryBudget(MAX_DOCUMENT_BYTES);
        RevisionResolver revisions = new RevisionResolver(client, settings.branchTtl(), memory);
        files = new HubObjectReader(client, revisions, operator, failures);
        documents = new HubDocumentReader(client, operator, failures, memory, PATIENCE);
        lister = new HubObjectLister(client, revisions, operator, failures, memory, PATIENCE);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.LIST);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return reader(request).head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return reader(request).open(request);
    }

    private ObjectReader reader(ReadRequest request) {
        return request.object().bucket().equals(HubDocumentReader.BUCKET) ? documents : files;
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return lister.listObjects(request);
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return lister.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return lister.headBucket(name);
    }

    @Override
    public Mono<String> probe(Optional<BucketName> bucket) {
        return lister.probe(bucket);
    }

    @Override
    public BackendRemedies remedies() {
        return BackendRemedies.ofReadOnlyServer("url");
    }

    @Override
    public String place() {
        return "on the Hugging Face Hub";
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
