package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.UploadListPageBuilder;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
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
 * A backend that stores objects as plain files below a folder.
 *
 * <p>Reads, small writes and bulk writes have a thread pool each: writes wait for the disk much longer than reads,
 * which mostly find their data in memory, and copies and completions may move many GiB in one step, so small writes do
 * not wait for them.
 */
final class FileBackend implements Backend {
    private static final Set<Capability> CAPABILITIES = Set.copyOf(EnumSet.of(
            Capability.LIST,
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.COPY,
            Capability.PARTS,
            Capability.CHECKSUMS));

    private static final BackendRemedies REMEDIES = new BackendRemedies(
            "path",
            "Mount its disk, or correct its path",
            "Mount its disk, or correct its path",
            "Check its path",
            "It needs r-x permission on its path",
            "It needs r-x permission on the folder");

    /** Threads for copies and completions. A few are as fast as the disk, and leave disk time to others. */
    private static final int COPY_THREADS = FileThreadPool.THREADS / 4;

    private final Path root;
    private final FileThreadPool readers;
    private final FileThreadPool writers;
    private final FileThreadPool copyThreads;
    private final AtomicInteger openFiles = new AtomicInteger();
    private final BucketFolders buckets;
    private final MetadataFileStore metadata;
    private final WriteLocks locks = new WriteLocks();
    private final StartupRecovery recovery;
    private final ObjectLookup lookup;
    private final ObjectCommitter committer;
    private final SharedWriteComponents context;
    private final ObjectCopier copier;
    private final FileBucketManager bucketManager;
    private final UploadStore uploads;
    private final UploadCompleter completer;

    /**
     * @param root an absolute path
     */
    FileBackend(String name, Path root) {
        this.root = root;
        this.readers = new FileThreadPool(name, FileThreadPool.THREADS, FileErrorMapper::ofRead);
        this.writers = new FileThreadPool(
                name + "-write", FileThreadPool.THREADS, failure -> FileErrorMapper.ofWrite(failure, root));
        this.copyThreads =
                new FileThreadPool(name + "-move", COPY_THREADS, failure -> FileErrorMapper.ofWrite(failure, root));
        this.buckets = new BucketFolders(root);
        this.metadata = new MetadataFileStore(buckets.hiddenFolder());
        TemporaryPaths temporaries = new TemporaryPaths(buckets.hiddenFolder());
        FileToFolderConversion ways = new FileToFolderConversion(buckets, temporaries);
        ObjectFilePlacer tree = new ObjectFilePlacer(locks, ways);
        this.recovery = new StartupRecovery(buckets, temporaries, ways);
        this.lookup = new ObjectLookup(buckets, metadata, tree, openFiles);
        this.committer = new ObjectCommitter(buckets, metadata, temporaries, locks, tree);
        this.context = new SharedWriteComponents(buckets, temporaries, committer, openFiles);
        this.copier = new ObjectCopier(lookup, context);
        this.bucketManager = new FileBucketManager(root, buckets, metadata, temporaries, locks);
        this.uploads = new UploadStore(buckets, temporaries);
        this.completer = new UploadCompleter(
                uploads, new CompletedUploads(buckets.hiddenFolder(), uploads, temporaries), context);
    }

    /** Finishes what an earlier process left half done, and starts to delete its temporary files in the background. */
    void start() throws IOException {
        recovery.finishConversions();
        copyThreads
                .call(() -> {
                    recovery.deleteStaleFiles(Instant.now());
                    return root;
                })
                .subscribe(swept -> {}, failure -> {});
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return readers.call(
                () -> lookup.find(request.object(), request.versionId()).select(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return new OpenObjectMono(() -> openNow(request), readers);
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return readers.call(() -> new ListPageBuilder(request, buckets.folder(request.bucket()), metadata).page());
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return readers.call(buckets::list);
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return readers.call(() -> buckets.info(name));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return new UploadBodyWriter<>(() -> new ObjectBodySink(object, body.trailer(), context), body, writers);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return copyThreads.call(() -> copier.copy(source, target));
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return writers.call(() -> {
            WriteHeaderPolicy.storable("file", headers);
            WriteHeaderPolicy.storable("file", deletion.conditionHeaders());
            ObjectLookup.requireNullVersion(deletion.versionId());
            committer.delete(deletion.object(), deletion.condition());
            return new DeleteResult(HeaderList.EMPTY);
        });
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return writers.call(() -> {
            WriteHeaderPolicy.storable("file", object.headers());
            UploadChecksumSpec.of(object.headers());
            StoredUpload begun = locks.withSharedBucketLock(() -> uploads.create(object.object(), object.headers()));
            return new CreatedUpload(begun.upload(), begun.checksumHeaders());
        });
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return new UploadBodyWriter<>(
                () -> new PartBodySink(upload, number, headers, body.trailer(), uploads, context), body, writers);
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return copyThreads.call(() -> {
            PartBodySink part = new PartBodySink(upload, number, headers, Optional.empty(), uploads, context);
            return copier.copyPart(source, range, number, part);
        });
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        return copyThreads.call(() -> completer.complete(upload, parts, headers, condition));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return writers.call(() -> {
                    WriteHeaderPolicy.storable("file", headers);
                    uploads.abort(upload);
                    return upload;
                })
                .then();
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return readers.call(() -> {
            StoredUpload info = uploads.find(upload);
            List<PartFile> found = uploads.parts(info, after, maxParts + 1);
            List<ListedPart> page =
                    found.stream().limit(maxParts).map(PartFile::listed).toList();
            boolean more = !page.isEmpty() && found.size() > maxParts;
            return new PartPage(
                    page,
                    "STANDARD",
                    info.checksumHeaders(),
                    more ? Optional.of(page.get(page.size() - 1).number()) : Optional.empty());
        });
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return readers.call(() -> new UploadListPageBuilder(query)
                .page(uploads.list(query.bucket()).stream()
                        .map(StoredUpload::listed)
                        .toList()));
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return writers.call(() -> {
                    bucketManager.create(bucket);
                    return bucket;
                })
                .then();
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return writers.call(() -> {
                    bucketManager.delete(bucket);
                    return bucket;
                })
                .then();
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public BackendRemedies remedies() {
        return REMEDIES;
    }

    @Override
    public Mono<Void> close() {
        return Mono.fromRunnable(() -> {
            readers.close();
            writers.close();
            copyThreads.close();
        });
    }

    @Override
    public String toString() {
        return "files below " + root;
    }

    /** Returns the number of files that are open for readers and writers. */
    int openFiles() {
        return openFiles.get();
    }

    private ObjectContent openNow(ReadRequest request) throws IOException {
        ObjectLookup.OpenedObject<HeadResult> opened =
                lookup.open(request.object(), request.versionId(), looked -> looked.select(request));
        HeadResult selected = opened.selection();
        long first = selected.range().map(ByteRange::first).orElse(0L);
        FileBodyPublisher body = new FileBodyPublisher(opened.file(), readers, first, selected.length());
        return new ObjectContent(selected.head(), selected.range(), body);
    }
}
