package io.millrace.backend.file;

import io.millrace.backend.file.Folder.Child;
import io.millrace.backend.spi.ObjectKey;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/** Goes through a folder once. A folder tells its entries in no order at all. */
final class FolderScan {
    /** By what their keys begin with; the path sets apart a long name's first piece and a file that is just that. */
    static final Comparator<Child> ORDER = Comparator.comparing(Child::text, ObjectKey.UTF8_ORDER)
            .thenComparing(child -> child.chunk().isPresent());

    /** What the tools of ext4 make at the top of a disk, for root's eyes only. */
    private static final Path LOST_AND_FOUND = Path.of("lost+found");

    private FolderScan() {}

    /** What an entry is shown to; false ends the scan. */
    @FunctionalInterface
    interface Visitor {
        boolean visit(Child child) throws IOException;
    }

    /**
     * The first {@code limit} entries in order, of those that pass; holds no more than that, however many there are. Looks at
     * names only.
     */
    static List<Child> smallest(Folder folder, Predicate<Child> passes, int limit) throws IOException {
        PriorityQueue<Child> kept = new PriorityQueue<>(ORDER.reversed());
        visit(folder, child -> {
            if (passes.test(child)) {
                Child largest = kept.peek();
                if (kept.size() < limit) {
                    kept.add(child);
                } else if (largest != null && ORDER.compare(child, largest) < 0) {
                    kept.poll();
                    kept.add(child);
                }
            }
            return true;
        });
        List<Child> sorted = new ArrayList<>(kept);
        sorted.sort(ORDER);
        return sorted;
    }

    /** Shows each entry that a key may lead to. A folder that is gone by now is empty. */
    static void visit(Folder folder, Visitor visitor) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder.path())) {
            for (Path entry : entries) {
                Optional<Child> child = folder.child(entry);
                if (child.isPresent() && !visitor.visit(child.get())) {
                    return;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return;
        } catch (AccessDeniedException e) {
            if (!folder.path().endsWith(LOST_AND_FOUND)) {
                throw e;
            }
        }
    }
}
