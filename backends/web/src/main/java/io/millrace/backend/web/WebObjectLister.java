package io.millrace.backend.web;

import io.millrace.backend.http.ErrorStatusMapper;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.http.WriteRefusal;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListPageCollector;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectLister;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Lists the objects of a web server, and its buckets, from the source that the settings name. */
final class WebObjectLister implements ObjectLister, WriteRefusal {
    /** The requests for metadata at a time, for entries whose index does not tell size and time. */
    private static final int CONCURRENT_HEADS = 16;

    private static final String STORAGE_CLASS = "STANDARD";

    private final WebBackendSettings settings;
    private final WebClient client;
    private final UrlLayout layout;
    private final ObjectReader reader;
    private final WebRequestExceptionMapper failures;
    private final IndexReader indexes;

    WebObjectLister(
            WebBackendSettings settings,
            WebClient client,
            UrlLayout layout,
            ObjectReader reader,
            WebRequestExceptionMapper failures) {
        this.settings = settings;
        this.client = client;
        this.layout = layout;
        this.reader = reader;
        this.failures = failures;
        this.indexes = new IndexReader(client);
    }

    @Override
    public String place() {
        return "on a web server";
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return Mono.defer(() -> switch (settings.listing()) {
                    case NONE -> Mono.<ListPageCollector<ListingEntry>>error(WebObjectLister::unsupported);
                    case INDEX -> new FolderIndexLister(request, layout, indexes).run();
                    case MANIFEST -> byManifest(request);
                })
                .flatMap(page -> complete(request.bucket(), page))
                .onErrorMap(failure -> failures.map("list of bucket " + request.bucket(), failure));
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        Mono<List<BucketInfo>> folders = settings.listing() == ListingSource.INDEX && settings.bucketInPath()
                ? indexes.folder(layout.root(), false).map(WebObjectLister::buckets)
                : Mono.error(WebObjectLister::unsupported);
        return folders.onErrorMap(failure -> failures.map("list of buckets", failure));
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return probe(Optional.of(name)).thenReturn(new BucketInfo(name, Optional.empty()));
    }

    @Override
    public Mono<String> probe(Optional<BucketName> bucket) {
        return bucket.map(this::probeBucket).orElseGet(this::probeServer);
    }

    private Mono<String> probeBucket(BucketName name) {
        Mono<String> request = switch (settings.listing()) {
            case NONE -> probeFolder(layout.bucket(name));
            case INDEX -> indexes.folder(layout.bucket(name), false).thenReturn("");
            case MANIFEST -> indexes.manifest(manifest(name), false).thenReturn("");
        };
        return request.onErrorMap(BackendException.class, WebObjectLister::ofBucket)
                .onErrorMap(failure -> failures.map("HEAD of bucket " + name, failure));
    }

    private Mono<String> probeServer() {
        Mono<String> request = settings.listing() == ListingSource.INDEX
                ? indexes.folder(layout.root(), false).thenReturn("")
                : probeFolder(layout.root());
        return request.onErrorMap(failure -> failures.map("HEAD of the folder", failure));
    }

    /**
     * Asks for a folder of a server that does not list it. The folder need not have an index, so that a 403 or a 404
     * says nothing of its objects; but the server must respond, and not refuse the credentials.
     */
    private Mono<String> probeFolder(WebUrl folder) {
        return client.send("HEAD", folder, HeaderList.EMPTY)
                .flatMap(response -> isFailure(response.status())
                        ? client.refused(response)
                        : response.body().drain().thenReturn(leftOpen(response.status())));
    }

    private static boolean isFailure(int status) {
        return switch (ErrorStatusMapper.kind(status)) {
            case CREDENTIALS_REJECTED, THROTTLED, UNAVAILABLE -> true;
            default -> false;
        };
    }

    private String leftOpen(int status) {
        if (status >= 300) {
            return ("it says %d to a HEAD of its folder, as servers without an index of it do: whether objects can be"
                            + " read there shows with the first read")
                    .formatted(status);
        }
        return settings.hasCredentials() ? "whether it takes the credentials shows with the first read" : "";
    }

    private Mono<ListPageCollector<ListingEntry>> byManifest(ListRequest request) {
        boolean isFirstPage = request.start() instanceof PageStart.FirstKey;
        return indexes.manifest(manifest(request.bucket()), !isFirstPage)
                .onErrorMap(BackendException.class, WebObjectLister::ofBucket)
                .map(entries -> {
                    ListPageCollector<ListingEntry> page = new ListPageCollector<>(request);
                    for (int i = 0; i < entries.size() && !page.isFull(); i++) {
                        page.addKey(entries.get(i).name(), entries.get(i));
                    }
                    return page;
                });
    }

    private WebUrl manifest(BucketName bucket) {
        return layout.object(new ObjectRef(bucket, new ObjectKey(settings.manifest())))
                .orElseThrow(() -> new BackendException(
                        FailureKind.UNEXPECTED, "the setting manifest is no path: " + settings.manifest()));
    }

    private Mono<ListPage> complete(BucketName bucket, ListPageCollector<ListingEntry> page) {
        return Flux.fromIterable(page.objects())
                .flatMapSequential(
                        entry -> entry.isComplete() ? Mono.just(listed(entry)) : listedByHead(bucket, entry),
                        CONCURRENT_HEADS)
                .collectList()
                .map(objects -> new ListPage(objects, page.prefixes(), page.next()));
    }

    private static ListedObject listed(ListingEntry entry) {
        return listed(
                entry.name(),
                entry.size().orElseThrow(),
                Optional.empty(),
                entry.lastModified().orElseThrow());
    }

    /** Asks for an object whose size or time the index does not tell; empty if it is gone, or is no object. */
    private Mono<ListedObject> listedByHead(BucketName bucket, ListingEntry entry) {
        return reader.head(ReadRequest.of(new ObjectRef(bucket, new ObjectKey(entry.name()))))
                .map(result -> listed(entry, result.head()))
                .onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_KEY ? Mono.empty() : Mono.error(failure));
    }

    private static ListedObject listed(ListingEntry entry, ObjectHead head) {
        Instant time = head.lastModified().or(entry::lastModified).orElse(Instant.EPOCH);
        return listed(entry.name(), head.size(), head.eTag(), time);
    }

    private static ListedObject listed(String key, long size, Optional<ETag> tag, Instant time) {
        return new ListedObject(
                new ObjectKey(key), size, tag, time, STORAGE_CLASS, ListedChecksums.NONE, Optional.empty());
    }

    private static List<BucketInfo> buckets(List<ListingEntry> root) {
        return root.stream()
                .filter(ListingEntry::isFolder)
                .map(entry -> entry.name().substring(0, entry.name().length() - 1))
                .filter(BucketName::isValid)
                .map(name -> new BucketInfo(new BucketName(name), Optional.empty()))
                .toList();
    }

    private static BackendException ofBucket(BackendException failure) {
        return failure.kind() == FailureKind.NO_SUCH_KEY
                ? new BackendException(FailureKind.NO_SUCH_BUCKET, "the bucket's folder or manifest is missing: 404")
                : failure;
    }

    private static BackendException unsupported() {
        return new BackendException(
                FailureKind.UNSUPPORTED,
                "this backend does not list: set its listing to index or manifest, if the server has one");
    }
}
