package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Finds the file of a key and what is known of it. Touches the disk. */
final class Lookup {
    /** How often a file is looked at that changes under our eyes before that is told. */
    private static final int ATTEMPTS = 5;

    private final BucketFolders buckets;
    private final MetadataStore metadata;
    private final Tree tree;
    private final AtomicInteger openFiles;

    /** A file as it was looked at. */
    record Looked(ObjectFile file, ObjectHead head, PartSizes parts) {}

    /**
     * An open file.
     *
     * @param file is the caller's to close
     */
    record Opened<T>(T chosen, OpenFile file) {}

    /**
     * @param openFiles counts what is open
     */
    Lookup(BucketFolders buckets, MetadataStore metadata, Tree tree, AtomicInteger openFiles) {
        this.buckets = buckets;
        this.metadata = metadata;
        this.tree = tree;
        this.openFiles = openFiles;
    }

    /** Looks at the file, and again a little later while it may still be changing unnoticed; see {@link FileHeads#TICK}. */
    Looked look(ObjectRef object, Optional<String> versionId) throws IOException {
        checkVersion(versionId);
        Path bucket = buckets.folder(object.bucket());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            ObjectFile file = tree.find(bucket, object.key()).orElseThrow(() -> FileErrors.noSuchKey(object));
            Optional<StoredContent> stored = metadata.find(object, file.stat());
            Optional<ObjectHead> head = FileHeads.of(file.stat(), stored, Instant.now());
            if (head.isPresent()) {
                return new Looked(
                        file, head.get(), stored.map(StoredContent::parts).orElse(PartSizes.NONE));
            }
            LockSupport.parkNanos(FileHeads.TICK.toNanos());
        }
        throw new BackendException(
                Kind.UNAVAILABLE, "the file of %s is being written; try again when it is finished".formatted(object));
    }

    /**
     * Looks at the file and opens that same one.
     *
     * @param choice decides on what was seen, and may fail on it
     */
    <T> Opened<T> open(ObjectRef object, Optional<String> versionId, Function<Looked, T> choice) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Looked looked = look(object, versionId);
            T chosen = choice.apply(looked);
            Optional<OpenFile> file = OpenFile.open(object, looked.file(), openFiles);
            if (file.isPresent()) {
                return new Opened<>(chosen, file.get());
            }
        }
        throw FileErrors.changed(object);
    }

    /** Files have no versions, and what has none is its own null version, as in S3. */
    static void checkVersion(Optional<String> versionId) {
        if (versionId.isPresent() && !versionId.get().equals("null")) {
            throw new BackendException(Kind.UNSUPPORTED, "files have no versions");
        }
    }
}
