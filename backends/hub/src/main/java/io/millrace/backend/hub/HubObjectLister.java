package io.millrace.backend.hub;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ResponseDescription;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.http.WriteRefusal;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListPageCollector;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectLister;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Lists the files of a repository at a revision. What there is above a revision is not listed. */
final class HubObjectLister implements ObjectLister, WriteRefusal {
    private static final String STORAGE_CLASS = "STANDARD";
    private static final int MAX_PROBE_BYTES = 1 << 20;

    /** The doubt that a 404 to a list of repositories leaves. */
    private static final String NO_LIST =
            "it says 404 to a list of repositories, as mirrors without one do: whether it is a Hub, and takes the"
                    + " token, shows with the first read";

    private final HubClient client;
    private final Credentials operator;
    private final RevisionResolver revisions;
    private final TreeReader trees;
    private final DocumentMemoryBudget memory;
    private final WebRequestExceptionMapper failures;

    /**
     * @param memory the bound that lists share with other documents
     * @param patience how long a caller waits for a list of many pages
     */
    HubObjectLister(
            HubClient client,
            RevisionResolver revisions,
            Credentials operator,
            WebRequestExceptionMapper failures,
            DocumentMemoryBudget memory,
            Duration patience) {
        this.client = client;
        this.operator = operator;
        this.revisions = revisions;
        this.trees = new TreeReader(client, operator, memory, patience);
        this.memory = memory;
        this.failures = failures;
    }

    @Override
    public String place() {
        return "on the Hugging Face Hub";
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return Mono.defer(() -> {
                    ListPageCollector<ListedObject> page = new ListPageCollector<>(request);
                    RepositoryPath path = path(request);
                    return revisions
                            .resolve(path, operator)
                            .flatMap(revision -> collect(request, path, revision, page))
                            // A list of what does not exist has no keys.
                            .onErrorResume(HubObjectLister::isNotFound, failure -> Mono.just(page));
                })
                .map(page -> new ListPage(page.objects(), page.prefixes(), page.next()))
                .onErrorMap(failure -> failures.map("list of bucket " + request.bucket(), failure));
    }

    /** Resolves the revision, so that an operator who has set a prefix learns that there is no such repository. */
    @Override
    public Mono<Void> probeList(ListRequest request) {
        return Mono.defer(() -> revisions.resolve(path(request), operator))
                .onErrorMap(
                        HubObjectLister::isNotFound,
                        missing -> new BackendException(
                                FailureKind.NO_SUCH_BUCKET,
                                "nothing is below %s: %s".formatted(request.prefix(), missing.getMessage())))
                .onErrorMap(failure -> failures.map("list of bucket " + request.bucket(), failure))
                .then(listObjects(request))
                .then();
    }

    private static RepositoryPath path(ListRequest request) {
        return RepositoryPath.parse(RepositoryKind.require(request.bucket()), request.prefix())
                .orElseThrow(HubObjectLister::aboveRevisions);
    }

    private Mono<ListPageCollector<ListedObject>> collect(
            ListRequest request, RepositoryPath path, Revision revision, ListPageCollector<ListedObject> page) {
        String folder = path.path().substring(0, path.path().lastIndexOf('/') + 1);
        if (folder.startsWith("/") || folder.contains("//")) {
            return Mono.just(page);
        }
        boolean recursive = !request.delimiter().equals("/");
        return trees.read(path, revision.commit(), folder, recursive).map(entries -> {
            for (int i = 0; i < entries.size() && !page.isFull(); i++) {
                add(page, path.prefix(), entries.get(i), revision);
            }
            return page;
        });
    }

    private static void add(ListPageCollector<ListedObject> page, String prefix, TreeEntry entry, Revision revision) {
        String key = prefix + entry.path();
        if (!page.mayContain(key) || key.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES) {
            return;
        }
        if (entry.isFolder()) {
            page.addRolledUp(key);
        } else {
            ObjectKey name = new ObjectKey(key);
            page.addKey(
                    key,
                    new ListedObject(
                            name,
                            entry.size(),
                            Optional.of(entry.tag()),
                            revision.time(),
                            STORAGE_CLASS,
                            ListedChecksums.NONE,
                            Optional.empty()));
        }
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return Mono.just(Arrays.stream(RepositoryKind.values())
                .map(kind -> new BucketInfo(new BucketName(kind.text()), Optional.empty()))
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .toList());
    }

    /**
     * The names of the buckets are known without the Hub, which is asked for one repository. A mirror that has no lists
     * is no fault where no entry names a bucket, as for a Hub port alone.
     */
    @Override
    public Mono<String> probe(Optional<BucketName> bucket) {
        return bucket.map(name -> headBucket(name).thenReturn("")).orElseGet(this::probeServer);
    }

    private Mono<String> probeServer() {
        return askFor(RepositoryKind.MODELS)
                .thenReturn("")
                .onErrorResume(HubObjectLister::isNotFound, noList -> Mono.just(NO_LIST))
                .onErrorMap(failure -> failures.map("list of one repository", failure));
    }

    /** Asks for one repository, to see whether the Hub answers and accepts the token. */
    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return Mono.defer(() -> askFor(
                        name.equals(HubDocumentReader.BUCKET) ? RepositoryKind.MODELS : RepositoryKind.require(name)))
                .thenReturn(new BucketInfo(name, Optional.empty()))
                .onErrorMap(
                        HubObjectLister::isNotFound,
                        noList ->
                                new BackendException(FailureKind.INVALID_RESPONSE, String.valueOf(noList.getMessage())))
                .onErrorMap(failure -> failures.map("HEAD of bucket " + name, failure));
    }

    private Mono<BufferedResponse> askFor(RepositoryKind kind) {
        return Mono.using(
                        memory::begin,
                        reserved -> client.fetchList(kind.text(), operator, MAX_PROBE_BYTES, reserved),
                        DocumentMemoryBudget.Reservation::release)
                .doOnNext(HubObjectLister::requireRepositories);
    }

    private static boolean isNotFound(Throwable failure) {
        return failure instanceof BackendException known && known.kind() == FailureKind.NO_SUCH_KEY;
    }

    /** A page in place of the Hub is no list, and neither is the JSON of other servers. */
    private static void requireRepositories(BufferedResponse list) {
        boolean isOfTheHub;
        try {
            isOfTheHub = HubJsonReader.ofArray(list.bytes()).stream().allMatch(fields -> fields.containsKey("id"));
        } catch (BackendException noJson) {
            isOfTheHub = false;
        }
        if (!isOfTheHub) {
            throw HubErrorMapper.noHub(ResponseDescription.of(list));
        }
    }

    private static BackendException aboveRevisions() {
        String message = "The Hub lists the files of a repository at a revision: the prefix must begin with"
                + " ORGANISATION/NAME/REVISION/.";
        return new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message));
    }
}
