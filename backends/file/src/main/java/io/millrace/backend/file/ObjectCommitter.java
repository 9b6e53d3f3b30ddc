package io.millrace.backend.file;

import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Makes finished temporary files the content of objects, and deletes objects, atomically for readers and durably on
 * disk. A write is acknowledged only after that.
 *
 * <p>The metadata is written first, describing both the new and the old content, and then the file is renamed: a
 * reader, or the state after a power cut, finds either content with its own headers. Blocks on the disk.
 */
record ObjectCommitter(
        BucketFolders buckets,
        MetadataFileStore metadata,
        TemporaryPaths temporaries,
        WriteLocks locks,
        ObjectFilePlacer tree) {
    /**
     * Makes a finished file the content of the key, if the condition holds.
     *
     * @param file on the bucket's disk, and synced
     * @param content the metadata of the file
     */
    void commit(ObjectRef object, WriteCondition condition, Path file, StoredContentMetadata content)
            throws IOException {
        locks.withSharedBucketLock(() -> locks.withKeyLock(object, () -> {
            Path bucket = buckets.folder(object.bucket());
            Optional<FileStat> current = checked(object, bucket, condition).map(ObjectFile::stat);
            metadata.writeNext(object, content, current, temporaries.newPath());
            DurableFolders.syncNearestExisting(tree.place(object, bucket, file));
            return content;
        }));
    }

    /**
     * Deletes a key if the condition holds, and folders that it leaves empty. A missing key fulfils every condition.
     */
    void delete(ObjectRef object, WriteCondition condition) throws IOException {
        locks.withSharedBucketLock(() -> locks.withKeyLock(object, () -> {
            Path bucket = buckets.folder(object.bucket());
            Optional<ObjectFile> file = tree.find(bucket, object.key());
            if (file.isPresent()) {
                check(object, condition, file);
                DurableFolders.syncNearestExisting(
                        tree.remove(bucket, file.get().path()));
            }
            metadata.delete(object);
            return object;
        }));
    }

    /**
     * Fails if the condition does not hold now. Checked before the body, so that no client sends one in vain; {@link
     * #commit} decides.
     */
    void checkEarly(ObjectRef object, WriteCondition condition) throws IOException {
        Path bucket = buckets.folder(object.bucket());
        if (!condition.equals(WriteCondition.ALWAYS)) {
            checked(object, bucket, condition);
        }
    }

    /** Returns whether the key has this content now. */
    boolean holds(ObjectRef object, StoredContentMetadata content) throws IOException {
        return tree.find(buckets.folder(object.bucket()), object.key())
                .map(file -> content.describes(file.stat()))
                .orElse(false);
    }

    /** Returns the current file, if any, after checking the condition. */
    private Optional<ObjectFile> checked(ObjectRef object, Path bucket, WriteCondition condition) throws IOException {
        Optional<ObjectFile> current = tree.find(bucket, object.key());
        check(object, condition, current);
        return current;
    }

    private void check(ObjectRef object, WriteCondition condition, Optional<ObjectFile> current) throws IOException {
        if (condition.equals(WriteCondition.ALWAYS)) {
            return;
        }
        Optional<ETag> tag = Optional.empty();
        if (current.isPresent()) {
            FileStat stat = current.get().stat();
            tag = Optional.of(FileObjectHeadBuilder.eTag(stat, metadata.find(object, stat)));
        }
        WriteCondition.require(condition, object, tag);
    }
}
