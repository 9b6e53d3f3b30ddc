package io.millrace.kit.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** A check that this user may write to a folder, or create it. Safe for use by any thread. */
public final class FolderPermissions {
    private FolderPermissions() {}

    /**
     * Requires that the folder is writable or, if it is missing, that it can be created. A folder that exists is left
     * alone: a full disk is no objection. A missing one is not created: a check that created and deleted it would
     * delete that of a server which starts at the same moment. What is created and deleted, in the nearest existing
     * folder, has a name of its own.
     *
     * @throws NotDirectoryException if the path, or its nearest existing ancestor, is not a folder; names that one
     * @throws AccessDeniedException if the nearest existing folder cannot be written by this user; names that one
     * @throws IOException if folders cannot be created in it for another reason
     */
    public static void requireCreatable(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        Path existing = absolute;
        // A dangling link exists: no folder can be created in its place.
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            throw new NotDirectoryException(existing.toString());
        }
        if (!Files.isWritable(existing) || !Files.isExecutable(existing)) {
            throw new AccessDeniedException(existing.toString());
        }
        if (!existing.equals(absolute)) {
            // Permissions do not show file systems that take no folders, such as /proc.
            Files.delete(Files.createTempDirectory(existing, ".writable"));
        }
    }
}
