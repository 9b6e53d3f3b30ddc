package io.millrace.backend.file;

import io.millrace.backend.file.Folder.Child;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
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
 * Makes one page of a listing, in the byte order of keys.
 *
 * <p>That is not the order of a walk through folders: {@code a/1} comes behind {@code a!}, since {@code /} sorts behind
 * {@code !}, though the folder {@code a} comes before the file {@code a!}. So what is known of the bucket so far waits in one
 * queue, each by the text that all its keys begin with, which none of its keys sorts before. The first is taken out and looked
 * at: an entry turns out to be a file, and is the next key; or a folder, and goes back with its slash; a folder is replaced by
 * its entries. Only what comes to the front is ever looked at, so a page costs the names of the folders it passes through
 * and the attributes of what it shows.
 */
final class Listing {
    /** Entries of a folder that wait at once; a larger folder is gone through again for the next ones. */
    private static final int WINDOW = 2 * ListRequest.MAX_KEYS;

    private final ListRequest request;
    private final Path bucket;
    private final MetadataStore metadata;
    private final PageScope scope;
    private final boolean hasMetadata;
    private final PriorityQueue<Step> steps =
            new PriorityQueue<>(Comparator.comparing(Step::text, ObjectKey.UTF8_ORDER));
    private final List<ListPage.Entry> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private Optional<ListRequest.From> last = Optional.empty();
    private boolean more;

    /** What waits in the queue. */
    private sealed interface Step {
        /** What all its keys begin with. */
        String text();

        /** An entry whose attributes are not known. */
        record Entry(Child child) implements Step {
            @Override
            public String text() {
                return child.text();
            }
        }

        /** The entries of a folder, those behind one of them if it is given. */
        record Entries(Folder folder, @Nullable Child behind) implements Step {
            @Override
            public String text() {
                return behind == null ? folder.text() : behind.text();
            }
        }
    }

    /**
     * @param bucket the bucket's folder, a path without links
     */
    Listing(ListRequest request, Path bucket, MetadataStore metadata) throws IOException {
        this.request = request;
        this.bucket = bucket;
        this.metadata = metadata;
        this.scope = new PageScope(request);
        this.hasMetadata = metadata.knows(request.bucket());
    }

    /** The page. Touches the disk; called once. */
    ListPage page() throws IOException {
        if (request.maxKeys() > 0) {
            start().ifPresent(folder -> steps.add(new Step.Entries(folder, null)));
        }
        for (Step step = steps.poll(); step != null && !more; step = steps.poll()) {
            if (step instanceof Step.Entry entry) {
                look(entry.child());
            } else {
                enter((Step.Entries) step);
            }
        }
        return new ListPage(objects, prefixes, more ? last : Optional.empty());
    }

    /** The innermost folder that all keys with the prefix lie in. */
    private Optional<Folder> start() throws IOException {
        String prefix = request.prefix();
        if (prefix.getBytes(StandardCharsets.UTF_8).length > ObjectKey.MAX_BYTES
                || !StandardCharsets.UTF_8.newEncoder().canEncode(prefix)) {
            return Optional.empty();
        }
        String folders = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        return ObjectFile.look(bucket, KeyPath.ofFolder(folders).in(bucket))
                .filter(found -> found.stat().isFolder())
                .map(found -> Folder.of(found.path(), folders));
    }

    private void look(Child child) throws IOException {
        if (!scope.mayHold(child.text())) {
            return;
        }
        Optional<FileStat> stat = stat(child.path());
        if (stat.isEmpty()) {
            return;
        }
        if (stat.get().isFolder()) {
            if (child.chunk().isEmpty()) {
                showSelf(child);
            }
            steps.add(new Step.Entries(folder(child), null));
        } else if (stat.get().isFile() && child.chunk().isEmpty()) {
            show(child.text(), stat.get());
        }
    }

    private void showSelf(Child folder) throws IOException {
        Optional<FileStat> self = stat(folder.path().resolve(Component.SELF)).filter(FileStat::isFile);
        if (self.isPresent()) {
            show(folder.text(), self.get());
        }
    }

    private void enter(Step.Entries entries) throws IOException {
        Folder folder = entries.folder();
        if (!scope.mayHold(folder.text())) {
            return;
        }
        Optional<String> rolledUp = scope.rolledUp(folder.text());
        if (rolledUp.isEmpty()) {
            expand(folder, entries.behind());
        } else if (holdsAny(folder)) {
            showPrefix(rolledUp.get());
        }
    }

    private void expand(Folder folder, @Nullable Child behind) throws IOException {
        List<Child> children = FolderScan.smallest(
                folder,
                child -> scope.mayHold(child.text()) && (behind == null || FolderScan.ORDER.compare(child, behind) > 0),
                WINDOW);
        children.forEach(child -> steps.add(new Step.Entry(child)));
        if (children.size() == WINDOW) {
            steps.add(new Step.Entries(folder, children.get(WINDOW - 1)));
        }
    }

    /** Whether some wanted key lies below; ends at the first, in whatever order they come. */
    private boolean holdsAny(Folder folder) throws IOException {
        boolean[] found = {false};
        FolderScan.visit(folder, child -> {
            found[0] = isOrHoldsAny(child);
            return !found[0];
        });
        return found[0];
    }

    private boolean isOrHoldsAny(Child child) throws IOException {
        if (!scope.mayHold(child.text())) {
            return false;
        }
        Optional<FileStat> stat = stat(child.path());
        if (stat.isEmpty() || !stat.get().isFolder()) {
            return stat.isPresent() && stat.get().isFile() && child.chunk().isEmpty() && wants(child.text());
        }
        boolean hasSelf = child.chunk().isEmpty()
                && wants(child.text())
                && stat(child.path().resolve(Component.SELF))
                        .filter(FileStat::isFile)
                        .isPresent();
        return hasSelf || holdsAny(folder(child));
    }

    private void show(String key, FileStat file) throws IOException {
        if (!wants(key)) {
            return;
        }
        Optional<String> rolledUp = scope.rolledUp(key);
        if (rolledUp.isPresent()) {
            showPrefix(rolledUp.get());
        } else if (hasRoom()) {
            objects.add(entry(new ObjectKey(key), file));
            last = Optional.of(scope.behind(key, false));
        }
    }

    private void showPrefix(String prefix) {
        if (hasRoom()) {
            prefixes.add(prefix);
            scope.cover(prefix);
            last = Optional.of(scope.behind(prefix, true));
        }
    }

    private boolean hasRoom() {
        more = objects.size() + prefixes.size() == request.maxKeys();
        return !more;
    }

    /** A file put there by hand may lie so deep that no key is long enough for it. */
    private boolean wants(String key) {
        return scope.wants(key) && key.getBytes(StandardCharsets.UTF_8).length <= ObjectKey.MAX_BYTES;
    }

    private ListPage.Entry entry(ObjectKey key, FileStat file) throws IOException {
        Optional<StoredContent> stored =
                hasMetadata ? metadata.find(new ObjectRef(request.bucket(), key), file) : Optional.empty();
        return new ListPage.Entry(
                key,
                file.size(),
                Optional.of(FileHeads.tag(file, stored)),
                file.lastModified(),
                "STANDARD",
                stored.map(content -> checksums(content.headers())).orElse(ListPage.Checksums.NONE),
                Optional.empty());
    }

    private static ListPage.Checksums checksums(HeaderList headers) {
        List<String> algorithms = headers.fields().stream()
                .flatMap(field -> ChecksumAlgorithm.ofHeader(field.name()).stream())
                .map(Enum::name)
                .toList();
        return new ListPage.Checksums(algorithms, headers.first("x-amz-checksum-type"));
    }

    private static Folder folder(Child child) {
        return child.chunk().orElseGet(() -> Folder.of(child.path(), child.text() + "/"));
    }

    /** Empty if it is gone by now. */
    private static Optional<FileStat> stat(Path path) throws IOException {
        try {
            return Optional.of(FileStat.of(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
