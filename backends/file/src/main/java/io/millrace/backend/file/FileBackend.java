package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import reactor.core.publisher.Mono;

/** Reads and lists plain files as objects. */
final class FileBackend implements Backend {
    /** How often a file is looked at that changes under our eyes before that is told. */
    private static final int ATTEMPTS = 5;

    private final Path root;
    private final Buckets buckets;
    private final MetadataStore metadata;
    private final FilePool pool;
    private final AtomicInteger openFiles = new AtomicInteger();

    /**
     * @param root an absolute path
     */
    FileBackend(String name, Path root) {
        this.root = root;
        this.buckets = new Buckets(root);
        this.metadata = new MetadataStore(buckets.hidden());
        this.pool = new FilePool(name);
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return pool.call(() -> {
            Selected selected = Selected.of(request, look(request).head());
            return new SelectedHead(selected.head(), selected.range());
        });
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return new Opening(() -> openNow(request), pool);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return pool.call(() -> new Listing(request, buckets.folder(request.bucket()), metadata).page());
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return pool.call(buckets::all);
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return pool.call(() -> buckets.info(name));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public Mono<Void> close() {
        return Mono.fromRunnable(pool::close);
    }

    @Override
    public String toString() {
        return "files below " + root;
    }

    /** Files that are open for readers now. */
    int openFiles() {
        return openFiles.get();
    }

    private record Looked(ObjectFile file, ObjectHead head) {}

    private ObjectContent openNow(ReadRequest request) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Looked looked = look(request);
            Selected selected = Selected.of(request, looked.head());
            Optional<OpenFile> file = OpenFile.open(request.object(), looked.file(), openFiles);
            if (file.isPresent()) {
                FileBody body = new FileBody(file.get(), pool, selected.first(), selected.length());
                return new ObjectContent(selected.head(), selected.range(), body);
            }
        }
        throw FileErrors.changed(request.object());
    }

    /** Looks at the file, and again a little later while it may still be changing unnoticed; see {@link FileHeads#TICK}. */
    private Looked look(ReadRequest request) throws IOException {
        ObjectRef object = request.object();
        checkVersion(request.versionId());
        Path bucket = buckets.folder(object.bucket());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            ObjectFile file = find(bucket, object);
            Optional<StoredContent> stored = metadata.find(object, file.stat());
            Optional<ObjectHead> head = FileHeads.of(file.stat(), stored, Instant.now());
            if (head.isPresent()) {
                return new Looked(file, head.get());
            }
            LockSupport.parkNanos(FileHeads.TICK.toNanos());
        }
        throw new BackendException(
                Kind.UNAVAILABLE, "the file of %s is being written; try again when it is finished".formatted(object));
    }

    private static ObjectFile find(Path bucket, ObjectRef object) throws IOException {
        return ObjectFile.find(bucket, object.key()).orElseThrow(() -> FileErrors.noSuchKey(object));
    }

    /** Files have no versions, and what has none is its own null version, as in S3. */
    private static void checkVersion(Optional<String> versionId) {
        if (versionId.isPresent() && !versionId.get().equals("null")) {
            throw new BackendException(Kind.UNSUPPORTED, "files have no versions");
        }
    }
}
