package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Finds and opens the file of a key together with its metadata. Touches the disk.
 *
 * @param openFiles counts open files
 */
record ObjectLookup(BucketFolders buckets, MetadataFileStore metadata, ObjectFilePlacer tree, AtomicInteger openFiles) {
    /** Times that a lookup waits for a file that may still be changing unnoticed. */
    private static final int MOST_WAITS = 5;

    /** Times that a lookup begins again: each is a write that succeeded meanwhile, and there may be many. */
    private static final int MOST_REPLACEMENTS = 200;

    /** A file with the metadata that was read for it. */
    record FoundObject(ObjectFile file, ObjectHead head, PartSizes parts) {
        /**
         * Returns the metadata and range that answer a read request. As in S3, only the read of a part has the number
         * of parts; the checksums are of all of them.
         *
         * @throws BackendException if the request cannot be served
         */
        HeadResult select(ReadRequest request) {
            HeadResult selected = ReadDecision.of(request, head, number -> parts.range(number, head.size()));
            if (parts.isEmpty() || !(request.selection() instanceof ByteSelection.PartSelection)) {
                return selected;
            }
            ObjectHead described = selected.head().withoutChecksums();
            HeaderList headers = described.headers().with("x-amz-mp-parts-count", Integer.toString(parts.count()));
            return new HeadResult(described.withHeaders(headers), selected.range());
        }
    }

    /**
     * An open file and the caller's decision about it.
     *
     * @param file owned by the caller, who closes it
     */
    record OpenedObject<T>(T selection, ChangeDetectingReader file) {}

    /** Counts how often a lookup has waited or begun again. */
    private static final class AttemptBudget {
        private int waits;
        private int replacements;

        boolean isOver() {
            return waits == MOST_WAITS || replacements == MOST_REPLACEMENTS;
        }

        void awaitSettling() {
            waits++;
            LockSupport.parkNanos(FileObjectHeadBuilder.SETTLE_TIME.toNanos());
        }
    }

    /**
     * Returns the file of a key. Waits and looks again while the file may still be changing unnoticed; see {@link
     * FileObjectHeadBuilder#SETTLE_TIME}.
     */
    FoundObject find(ObjectRef object, Optional<String> versionId) throws IOException {
        return find(object, versionId, new AttemptBudget());
    }

    private FoundObject find(ObjectRef object, Optional<String> versionId, AttemptBudget attempts) throws IOException {
        requireNullVersion(versionId);
        Path bucket = buckets.folder(object.bucket());
        while (!attempts.isOver()) {
            Instant before = Instant.now();
            ObjectFile file = tree.find(bucket, object.key()).orElseThrow(() -> FileErrorMapper.noSuchKey(object));
            Optional<StoredContentMetadata> stored = metadata.find(object, file.stat());
            Optional<ObjectHead> head = FileObjectHeadBuilder.of(file.stat(), stored, before, Instant.now());
            if (head.isEmpty()) {
                attempts.awaitSettling();
            } else if (stored.isEmpty() && isGone(bucket, file)) {
                attempts.replacements++;
            } else {
                return new FoundObject(
                        file,
                        head.get(),
                        stored.map(StoredContentMetadata::parts).orElse(PartSizes.NONE));
            }
        }
        throw new BackendException(
                FailureKind.UNAVAILABLE,
                "the file of %s is being written; try again when it is finished".formatted(object));
    }

    /** Returns whether the file was replaced, changed or deleted since, and its metadata with it. */
    private static boolean isGone(Path bucket, ObjectFile file) throws IOException {
        return !ObjectFile.inspect(bucket, file.path()).equals(Optional.of(file));
    }

    /**
     * Finds the file of a key and opens exactly that one.
     *
     * @param choice decides on the metadata, and may fail
     */
    <T> OpenedObject<T> open(ObjectRef object, Optional<String> versionId, Function<FoundObject, T> choice)
            throws IOException {
        for (AttemptBudget attempts = new AttemptBudget(); !attempts.isOver(); attempts.replacements++) {
            FoundObject looked = find(object, versionId, attempts);
            T chosen = choice.apply(looked);
            Optional<ChangeDetectingReader> file = ChangeDetectingReader.open(object, looked.file(), openFiles);
            if (file.isPresent()) {
                return new OpenedObject<>(chosen, file.get());
            }
        }
        throw FileErrorMapper.changed(object);
    }

    /**
     * Fails unless the version is absent or {@code null}: files have no versions, and as in S3 an object without
     * versions is its own null version.
     */
    static void requireNullVersion(Optional<String> versionId) {
        if (versionId.isPresent() && !versionId.get().equals("null")) {
            throw new BackendException(FailureKind.UNSUPPORTED, "files have no versions");
        }
    }
}
