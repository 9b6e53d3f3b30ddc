package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Puts finished files into their places, and takes files away, so that a reader sees the old content or the new one, whole,
 * with its own headers, and so that both is on the disk when it is acknowledged.
 *
 * <p>First the metadata is announced, describing the new content and still the old one, and then the file is renamed:
 * whichever content a reader meets, or a power cut leaves, it has its own headers. Blocks on the disk.
 */
final class Placement {
    private final BucketFolders buckets;
    private final MetadataStore metadata;
    private final Temporaries temporaries;
    private final WriteLocks locks;
    private final Tree tree;

    Placement(BucketFolders buckets, MetadataStore metadata, Temporaries temporaries, WriteLocks locks, Tree tree) {
        this.buckets = buckets;
        this.metadata = metadata;
        this.temporaries = temporaries;
        this.locks = locks;
        this.tree = tree;
    }

    /**
     * Makes a finished file the content of the key, if the condition holds.
     *
     * @param file on the bucket's disk, and forced to it
     * @param content what is in it
     */
    void publish(ObjectRef object, WriteCondition condition, Path file, StoredContent content) throws IOException {
        locks.inBuckets(() -> locks.onKey(object, () -> {
            Path bucket = buckets.folder(object.bucket());
            Optional<FileStat> current = checked(object, bucket, condition).map(ObjectFile::stat);
            metadata.announce(object, content, current, temporaries.next());
            Folders.forceNearest(tree.place(object, bucket, file));
            return content;
        }));
    }

    /** Deletes a key if the condition holds, and folders that it leaves empty. What is not there fulfils every condition. */
    void delete(ObjectRef object, WriteCondition condition) throws IOException {
        locks.inBuckets(() -> locks.onKey(object, () -> {
            Path bucket = buckets.folder(object.bucket());
            Optional<ObjectFile> file = tree.find(bucket, object.key());
            if (file.isPresent()) {
                check(object, condition, file);
                Folders.forceNearest(tree.remove(bucket, file.get().path()));
            }
            metadata.forget(object);
            return object;
        }));
    }

    /**
     * Fails now if the condition does not hold now: a look ahead, so that nobody sends a body in vain.
     */
    void lookAhead(ObjectRef object, WriteCondition condition) throws IOException {
        Path bucket = buckets.folder(object.bucket());
        if (!condition.equals(WriteCondition.ALWAYS)) {
            checked(object, bucket, condition);
        }
    }

    /** Whether this is what the key holds now. */
    boolean holds(ObjectRef object, StoredContent content) throws IOException {
        return tree.find(buckets.folder(object.bucket()), object.key())
                .map(file -> content.describes(file.stat()))
                .orElse(false);
    }

    /** What is there, if it fulfils the condition. */
    private Optional<ObjectFile> checked(ObjectRef object, Path bucket, WriteCondition condition) throws IOException {
        Optional<ObjectFile> current = tree.find(bucket, object.key());
        check(object, condition, current);
        return current;
    }

    private void check(ObjectRef object, WriteCondition condition, Optional<ObjectFile> current) throws IOException {
        if (condition.equals(WriteCondition.ALWAYS)) {
            return;
        }
        boolean needsContent =
                condition instanceof WriteCondition.Exists || condition instanceof WriteCondition.Matches;
        if (needsContent && current.isEmpty()) {
            throw FileErrors.noSuchKey(object);
        }
        Optional<ETag> tag = Optional.empty();
        if (current.isPresent()) {
            FileStat stat = current.get().stat();
            tag = Optional.of(FileHeads.tag(stat, metadata.find(object, stat)));
        }
        if (!holds(condition, tag)) {
            throw new BackendException(
                    Kind.PRECONDITION_FAILED, "the condition %s on %s does not hold".formatted(condition, object));
        }
    }

    private static boolean holds(WriteCondition condition, Optional<ETag> tag) {
        if (condition instanceof WriteCondition.Absent) {
            return tag.isEmpty();
        }
        if (condition instanceof WriteCondition.Matches matches) {
            return tag.map(matches.tag()::matchesStrongly).orElse(false);
        }
        if (condition instanceof WriteCondition.Differs differs) {
            return tag.map(there -> !differs.tag().matchesWeakly(there)).orElse(true);
        }
        return true;
    }
}
