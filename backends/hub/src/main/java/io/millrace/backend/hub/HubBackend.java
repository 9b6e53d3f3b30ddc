package io.millrace.backend.hub;

import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import java.time.Duration;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * A read-only backend over the Hugging Face Hub. The buckets are {@code models}, {@code datasets} and {@code spaces}; a
 * further one, {@code api}, has the documents of the Hub's API, for the gateway's own Hub port.
 */
final class HubBackend extends JoinedBackend {
    /** The most bytes of documents and lists that are read at a time. */
    private static final long MAX_DOCUMENT_BYTES = 128 << 20;

    /**
     * The longest wait of a caller for a list or document of many pages: less than the usual deadline of a backend's
     * requests.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HubClient client;

    /** The reader of files, and of the documents of the API in a bucket of their own. */
    private record FilesAndDocuments(ObjectReader files, ObjectReader documents) implements ObjectReader {
        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return of(request).head(request);
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return of(request).open(request);
        }

        private ObjectReader of(ReadRequest request) {
            return request.object().bucket().equals(HubDocumentReader.BUCKET) ? documents : files;
        }
    }

    private HubBackend(HubClient client, ObjectReader reader, HubObjectLister lister) {
        super(Roles.of(reader, lister, lister, lister, lister));
        this.client = client;
    }

    static HubBackend create(String name, HubBackendSettings settings) {
        HubClient client = new HubClient(name, settings);
        Credentials operator = Credentials.ofOperator(settings.token());
        WebRequestExceptionMapper failures = new WebRequestExceptionMapper(name, client.root());
        DocumentMemoryBudget memory = new DocumentMemoryBudget(MAX_DOCUMENT_BYTES);
        RevisionResolver revisions = new RevisionResolver(client, settings.branchTtl(), memory);
        ObjectReader reader = new FilesAndDocuments(
                new HubObjectReader(client, revisions, operator, failures),
                new HubDocumentReader(client, operator, failures, memory, PATIENCE));
        return new HubBackend(
                client, reader, new HubObjectLister(client, revisions, operator, failures, memory, PATIENCE));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.LIST);
    }

    @Override
    public BackendRemedies remedies() {
        return BackendRemedies.ofReadOnlyServer("url");
    }

    @Override
    public Mono<Void> close() {
        return client.close();
    }
}
