package io.millrace.backend.file;

import io.millrace.backend.file.PrefixFolder.FolderEntry;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPageFilter;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Builds one page of an object listing (ListObjects) from the directory tree, in the byte order of keys.
 *
 * <p>That is not the order of a directory walk: {@code a/1} sorts after {@code a!}, because {@code /} sorts after
 * {@code !}, though the folder {@code a} comes before the file {@code a!}. So pending entries wait in one queue,
 * ordered by the prefix that all their keys have. The first is taken out and examined: an entry that is a file is the
 * next key; one that is a folder goes back with its slash; a folder is replaced by its entries. Only the head of the
 * queue is examined, so a page costs the names of the folders it passes and the attributes of what it shows.
 */
final class ListPageBuilder {
    /** Entries of a folder that are queued at once; a larger folder is scanned again for the next ones. */
    private static final int MAX_QUEUED_ENTRIES = 2 * ListRequest.MAX_KEYS;

    /** Times that a file is looked at again because it was replaced. */
    private static final int MOST_REPLACEMENTS = 200;

    private final ListRequest request;
    private final Path bucket;
    private final MetadataFileStore metadata;
    private final ListPageFilter filter;
    private final boolean hasMetadata;
    private final PriorityQueue<PendingItem> pending =
            new PriorityQueue<>(Comparator.comparing(PendingItem::keyPrefix, ObjectKey.UTF8_ORDER));
    private final List<ListPage.ListedObject> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private Optional<ListRequest.PageStart> last = Optional.empty();
    private boolean more;

    /** An item of the queue. */
    private sealed interface PendingItem {
        /** Returns the prefix of all its keys. */
        String keyPrefix();

        /** An entry whose attributes are not read yet. */
        record UnreadEntry(FolderEntry entry) implements PendingItem {
            @Override
            public String keyPrefix() {
                return entry.keyPrefix();
            }
        }

        /** The entries of a folder that are not queued yet, after one of them if it is given. */
        record UnlistedFolder(PrefixFolder folder, @Nullable FolderEntry after) implements PendingItem {
            @Override
            public String keyPrefix() {
                return after == null ? folder.keyPrefix() : after.keyPrefix();
            }
        }
    }

    /**
     * @param bucket the bucket's folder, a path without links
     */
    ListPageBuilder(ListRequest request, Path bucket, MetadataFileStore metadata) throws IOException {
        this.request = request;
        this.bucket = bucket;
        this.metadata = metadata;
        this.filter = new ListPageFilter(request);
        this.hasMetadata = metadata.hasBucket(request.bucket());
    }

    /** Returns the page. Touches the disk; called once. */
    ListPage page() throws IOException {
        if (request.maxKeys() > 0) {
            start().ifPresent(folder -> pending.add(new PendingItem.UnlistedFolder(folder, null)));
        }
        for (PendingItem step = pending.poll(); step != null && !more; step = pending.poll()) {
            if (step instanceof PendingItem.UnreadEntry entry) {
                examine(entry.entry());
            } else {
                enter((PendingItem.UnlistedFolder) step);
            }
        }
        return new ListPage(objects, prefixes, more ? last : Optional.empty());
    }

    /** Returns the innermost folder that holds all keys with the prefix. */
    private Optional<PrefixFolder> start() throws IOException {
        String prefix = request.prefix();
        if (prefix.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES
                || !StandardCharsets.UTF_8.newEncoder().canEncode(prefix)) {
            return Optional.empty();
        }
        String folders = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        return ObjectFile.inspect(bucket, ObjectKeyPath.ofFolder(folders).resolveIn(bucket))
                .filter(found -> found.stat().isFolder())
                .map(found -> PrefixFolder.of(found.path(), folders));
    }

    private void examine(FolderEntry child) throws IOException {
        if (!filter.mayContain(child.keyPrefix())) {
            return;
        }
        Optional<FileStat> stat = stat(child.path());
        if (stat.isEmpty()) {
            return;
        }
        if (stat.get().isFolder()) {
            if (child.chunkFolder().isEmpty()) {
                addFolderObject(child);
            }
            pending.add(new PendingItem.UnlistedFolder(folder(child), null));
        } else if (stat.get().isFile() && child.chunkFolder().isEmpty()) {
            addKey(child.keyPrefix(), child.path(), stat.get());
        }
    }

    private void addFolderObject(FolderEntry folder) throws IOException {
        Path path = folder.path().resolve(KeyComponentCodec.FOLDER_OBJECT);
        Optional<FileStat> self = stat(path).filter(FileStat::isFile);
        if (self.isPresent()) {
            addKey(folder.keyPrefix(), path, self.get());
        }
    }

    private void enter(PendingItem.UnlistedFolder entries) throws IOException {
        PrefixFolder folder = entries.folder();
        if (!filter.mayContain(folder.keyPrefix())) {
            return;
        }
        Optional<String> rolledUp = filter.commonPrefix(folder.keyPrefix());
        if (rolledUp.isEmpty()) {
            expand(folder, entries.after());
        } else if (containsAny(folder)) {
            addCommonPrefix(rolledUp.get());
        }
    }

    private void expand(PrefixFolder folder, @Nullable FolderEntry startAfter) throws IOException {
        List<FolderEntry> children = FolderScan.smallest(
                folder,
                child -> filter.mayContain(child.keyPrefix())
                        && (startAfter == null || FolderScan.ORDER.compare(child, startAfter) > 0),
                MAX_QUEUED_ENTRIES);
        children.forEach(child -> pending.add(new PendingItem.UnreadEntry(child)));
        if (children.size() == MAX_QUEUED_ENTRIES) {
            pending.add(new PendingItem.UnlistedFolder(folder, children.get(MAX_QUEUED_ENTRIES - 1)));
        }
    }

    /** Returns whether the folder holds a key to show; stops at the first one in any order. */
    private boolean containsAny(PrefixFolder folder) throws IOException {
        boolean[] found = {false};
        FolderScan.visit(folder, child -> {
            found[0] = isOrContainsAny(child);
            return !found[0];
        });
        return found[0];
    }

    private boolean isOrContainsAny(FolderEntry child) throws IOException {
        if (!filter.mayContain(child.keyPrefix())) {
            return false;
        }
        Optional<FileStat> stat = stat(child.path());
        if (stat.isEmpty() || !stat.get().isFolder()) {
            return stat.isPresent()
                    && stat.get().isFile()
                    && child.chunkFolder().isEmpty()
                    && includes(child.keyPrefix());
        }
        boolean hasSelf = child.chunkFolder().isEmpty()
                && includes(child.keyPrefix())
                && stat(child.path().resolve(KeyComponentCodec.FOLDER_OBJECT))
                        .filter(FileStat::isFile)
                        .isPresent();
        return hasSelf || containsAny(folder(child));
    }

    private void addKey(String key, Path path, FileStat file) throws IOException {
        if (!includes(key)) {
            return;
        }
        Optional<String> rolledUp = filter.commonPrefix(key);
        if (rolledUp.isPresent()) {
            addCommonPrefix(rolledUp.get());
        } else if (hasSpace()) {
            entry(new ObjectKey(key), path, file).ifPresent(objects::add);
            last = Optional.of(filter.nextStart(key, false));
        }
    }

    private void addCommonPrefix(String prefix) {
        if (hasSpace()) {
            prefixes.add(prefix);
            filter.excludePrefix(prefix);
            last = Optional.of(filter.nextStart(prefix, true));
        }
    }

    private boolean hasSpace() {
        more = objects.size() + prefixes.size() == request.maxKeys();
        return !more;
    }

    /**
     * Returns whether the page shows the key. A file put there by hand may lie so deep that its path is too long for a
     * key.
     */
    private boolean includes(String key) {
        return filter.includes(key) && key.getBytes(StandardCharsets.UTF_8).length <= ObjectKey.MAX_BYTES;
    }

    /** Returns the entry of a file; empty if it is gone by now. */
    private Optional<ListPage.ListedObject> entry(ObjectKey key, Path path, FileStat found) throws IOException {
        FileStat file = found;
        Optional<StoredContentMetadata> stored = metadataOf(key, file);
        for (int attempt = 0; hasMetadata && stored.isEmpty() && attempt < MOST_REPLACEMENTS; attempt++) {
            // A file that was replaced since has taken its metadata with it.
            Optional<FileStat> now = stat(path).filter(FileStat::isFile);
            if (now.isEmpty() || now.get().equals(file)) {
                return now.map(same -> entry(key, same, Optional.empty()));
            }
            file = now.get();
            stored = metadataOf(key, file);
        }
        return Optional.of(entry(key, file, stored));
    }

    private Optional<StoredContentMetadata> metadataOf(ObjectKey key, FileStat file) throws IOException {
        return hasMetadata ? metadata.find(new ObjectRef(request.bucket(), key), file) : Optional.empty();
    }

    private static ListPage.ListedObject entry(ObjectKey key, FileStat file, Optional<StoredContentMetadata> stored) {
        return new ListPage.ListedObject(
                key,
                file.size(),
                Optional.of(FileObjectHeadBuilder.eTag(file, stored)),
                file.lastModified(),
                "STANDARD",
                stored.map(content -> ListPage.ListedChecksums.of(content.headers()))
                        .orElse(ListPage.ListedChecksums.NONE),
                Optional.empty());
    }

    private static PrefixFolder folder(FolderEntry child) {
        return child.chunkFolder().orElseGet(() -> PrefixFolder.of(child.path(), child.keyPrefix() + "/"));
    }

    /** Returns the attributes of a path; empty if it no longer exists. */
    private static Optional<FileStat> stat(Path path) throws IOException {
        try {
            return Optional.of(FileStat.of(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
