package io.millrace.backend.file;

import io.millrace.backend.file.PrefixFolder.FolderEntry;
import io.millrace.backend.spi.object.ObjectKey;
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

/** Reads the entries of a folder once, in the arbitrary order of the file system. */
final class FolderScan {
    /** Order by key prefix; if equal, the first piece of a long name comes after a file of that name. */
    static final Comparator<FolderEntry> ORDER = Comparator.comparing(FolderEntry::keyPrefix, ObjectKey.UTF8_ORDER)
            .thenComparing(child -> child.chunkFolder().isPresent());

    /** Folder that ext4 has at the top of a disk, readable by root only. */
    private static final Path LOST_AND_FOUND = Path.of("lost+found");

    private FolderScan() {}

    /** Callback for an entry; false ends the scan. */
    @FunctionalInterface
    interface EntryVisitor {
        boolean visit(FolderEntry child) throws IOException;
    }

    /**
     * Returns the first {@code limit} entries in order of those that pass. Holds no more than that in memory, and reads
     * names only.
     */
    static List<FolderEntry> smallest(PrefixFolder folder, Predicate<FolderEntry> passes, int limit)
            throws IOException {
        PriorityQueue<FolderEntry> smallest = new PriorityQueue<>(ORDER.reversed());
        visit(folder, child -> {
            if (passes.test(child)) {
                FolderEntry largest = smallest.peek();
                if (smallest.size() < limit) {
                    smallest.add(child);
                } else if (largest != null && ORDER.compare(child, largest) < 0) {
                    smallest.poll();
                    smallest.add(child);
                }
            }
            return true;
        });
        List<FolderEntry> sorted = new ArrayList<>(smallest);
        sorted.sort(ORDER);
        return sorted;
    }

    /** Visits each entry that a key can have. A folder that no longer exists is empty. */
    static void visit(PrefixFolder folder, EntryVisitor visitor) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder.path())) {
            for (Path entry : entries) {
                Optional<FolderEntry> child = folder.decode(entry);
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
