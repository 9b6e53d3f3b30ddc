package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/**
 * Reads, lists and writes plain files as objects. Writes have threads of their own: they wait for the disk much longer than
 * reads, which mostly find what they want in memory. So has what may move many GiB in one step, copies and completions: small
 * writes do not wait for those.
 */
final class FileBackend implements Backend {
    private static final Set<Capability> CAPABILITIES = Set.copyOf(EnumSet.of(
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.COPY,
            Capability.PARTS,
            Capability.CHECKSUMS));

    /** A few copies at once are as fast as the disk, and leave room for others on it. */
    private static final int MOVERS = FilePool.THREADS / 4;

    private final Path root;
    private final FilePool readers;
    private final FilePool writers;
    private final FilePool movers;
    private final AtomicInteger openFiles = new AtomicInteger();
    private final BucketFolders buckets;
    private final MetadataStore metadata;
    private final WriteLocks locks = new WriteLocks();
    private final Leftovers leftovers;
    private final Lookup lookup;
    private final Placement placement;
    private final Workshop workshop;
    private final Copies copies;
    private final BucketChanges bucketChanges;
    private final Uploads uploads;
    private final Completion completion;

    /**
     * @param root an absolute path
     */
    FileBackend(String name, Path root) {
        this.root = root;
        this.readers = new FilePool(name, FilePool.THREADS, FileErrors::of);
        this.writers = new FilePool(name + "-write", FilePool.THREADS, failure -> FileErrors.ofWrite(failure, root));
        this.movers = new FilePool(name + "-move", MOVERS, failure -> FileErrors.ofWrite(failure, root));
        this.buckets = new BucketFolders(root);
        this.metadata = new MetadataStore(buckets.hidden());
        Temporaries temporaries = new Temporaries(buckets.hidden());
        Ways ways = new Ways(buckets, temporaries);
        Tree tree = new Tree(locks, ways);
        this.leftovers = new Leftovers(buckets, temporaries, ways);
        this.lookup = new Lookup(buckets, metadata, tree, openFiles);
        this.placement = new Placement(buckets, metadata, temporaries, locks, tree);
        this.workshop = new Workshop(buckets, temporaries, placement, openFiles);
        this.copies = new Copies(lookup, workshop);
        this.bucketChanges = new BucketChanges(root, buckets, metadata, temporaries, locks);
        this.uploads = new Uploads(buckets, temporaries);
        this.completion = new Completion(uploads, new EndedUploads(buckets.hidden(), uploads, temporaries), workshop);
    }

    /** Ends what a process before this one left half done, and begins to delete what it left over. */
    void start() throws IOException {
        leftovers.finishRenames();
        movers.call(() -> {
                    leftovers.sweep(Instant.now());
                    return root;
                })
                .subscribe(swept -> {}, failure -> {});
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return readers.call(() -> {
            Selected selected = Selected.of(request, lookup.look(request.object(), request.versionId()));
            return new SelectedHead(selected.head(), selected.range());
        });
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return new Opening(() -> openNow(request), readers);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return readers.call(() -> new Listing(request, buckets.folder(request.bucket()), metadata).page());
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return readers.call(buckets::all);
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return readers.call(() -> buckets.info(name));
    }

    @Override
    public Mono<Written> put(NewObject object, UploadBody body) {
        return new Receiving<>(() -> new PutTarget(object, body.trailer(), workshop), body, writers);
    }

    @Override
    public Mono<Written> copy(CopySource source, NewObject target) {
        return movers.call(() -> copies.copy(source, target));
    }

    @Override
    public Mono<Deleted> delete(Deletion deletion, HeaderList headers) {
        return writers.call(() -> {
            StoredFields.of(headers);
            StoredFields.of(deletion.others());
            Lookup.checkVersion(deletion.versionId());
            placement.delete(deletion.object(), deletion.condition());
            return new Deleted(HeaderList.EMPTY);
        });
    }

    @Override
    public Mono<Begun> createUpload(NewObject object) {
        return writers.call(() -> {
            StoredFields.of(object.headers());
            UploadSum.of(object.headers());
            UploadInfo begun = locks.inBuckets(() -> uploads.begin(object.object(), object.headers()));
            return new Begun(begun.upload(), begun.sumFields());
        });
    }

    @Override
    public Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return new Receiving<>(
                () -> new PartTarget(upload, number, headers, body.trailer(), uploads, workshop), body, writers);
    }

    @Override
    public Mono<StoredPart> copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return movers.call(() -> {
            PartTarget part = new PartTarget(upload, number, headers, Optional.empty(), uploads, workshop);
            return copies.copyPart(source, range, number, part);
        });
    }

    @Override
    public Mono<Written> completeUpload(
            Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        return movers.call(() -> completion.complete(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(Upload upload, HeaderList headers) {
        return writers.call(() -> {
                    StoredFields.of(headers);
                    uploads.abort(upload);
                    return upload;
                })
                .then();
    }

    @Override
    public Mono<PartPage> listParts(Upload upload, int after, int maxParts) {
        return readers.call(() -> {
            UploadInfo info = uploads.find(upload);
            List<PartFile> found = uploads.parts(info, after, maxParts + 1);
            List<ListedPart> page =
                    found.stream().limit(maxParts).map(PartFile::listed).toList();
            boolean more = !page.isEmpty() && found.size() > maxParts;
            return new PartPage(
                    page,
                    "STANDARD",
                    info.sumFields(),
                    more ? Optional.of(page.get(page.size() - 1).number()) : Optional.empty());
        });
    }

    @Override
    public Mono<UploadPage> listUploads(UploadQuery query) {
        return readers.call(() -> new UploadListing(query).page(uploads.all(query.bucket())));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return writers.call(() -> {
                    bucketChanges.create(bucket);
                    return bucket;
                })
                .then();
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return writers.call(() -> {
                    bucketChanges.delete(bucket);
                    return bucket;
                })
                .then();
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Mono<Void> close() {
        return Mono.fromRunnable(() -> {
            readers.close();
            writers.close();
            movers.close();
        });
    }

    @Override
    public String toString() {
        return "files below " + root;
    }

    /** Files that are open for readers and writers now. */
    int openFiles() {
        return openFiles.get();
    }

    private ObjectContent openNow(ReadRequest request) throws IOException {
        Lookup.Opened<Selected> opened =
                lookup.open(request.object(), request.versionId(), looked -> Selected.of(request, looked));
        Selected selected = opened.chosen();
        FileBody body = new FileBody(opened.file(), readers, selected.first(), selected.length());
        return new ObjectContent(selected.head(), selected.range(), body);
    }
}
