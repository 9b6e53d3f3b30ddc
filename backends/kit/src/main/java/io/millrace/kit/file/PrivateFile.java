package io.millrace.kit.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;

/** Reads and atomically writes files that only their owner can access. */
public final class PrivateFile {
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rw-------");

    private PrivateFile() {}

    /** Opens a file for reading and writing; creates an empty one if it does not exist. */
    public static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                onlyItsOwner());
    }

    /** Creates a file that does not exist, for writing. */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), onlyItsOwner());
    }

    /**
     * Replaces a file atomically and durably: after a power loss it has the old or the new content. Blocks until it is
     * synced. The file that is replaced leaves its group and permissions to the next.
     */
    public static void write(Path file, List<String> lines) throws IOException {
        write(file, lines, false);
    }

    /**
     * Replaces a file as {@link #write} does, and leaves it to its owner; it stays as it is if this process may not do
     * that.
     */
    public static void writeForItsOwner(Path file, List<String> lines) throws IOException {
        write(file, lines, true);
    }

    private static void write(Path file, List<String> lines, boolean forItsOwner) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path fresh = Files.createTempFile(folder, "." + file.getFileName(), "", onlyItsOwner());
        try {
            try (FileChannel out = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                DurableFiles.writeSynced(out, StandardCharsets.UTF_8.encode(String.join("\n", lines) + "\n"));
            }
            if (Files.exists(file)) {
                PosixFileAttributes old = Files.readAttributes(file, PosixFileAttributes.class);
                // Whoever may write in the folder could put a link to another file here.
                PosixFileAttributeView view =
                        Files.getFileAttributeView(fresh, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
                view.setGroup(old.group());
                view.setPermissions(old.permissions());
                if (forItsOwner) {
                    giveTo(old.owner(), view);
                }
            }
            DurableFiles.moveInto(file, fresh);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** Opens a file for new content; what an earlier version has left half-written may be anybody's to read. */
    static FileChannel rewrite(Path file) throws IOException {
        FileChannel out = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING),
                onlyItsOwner());
        restrict(file);
        return out;
    }

    /** Takes the rights of others to a file, where this process may do that. */
    private static void restrict(Path file) {
        try {
            Set<PosixFilePermission> now = Files.getPosixFilePermissions(file);
            if (now.retainAll(OWNERS)) {
                Files.setPosixFilePermissions(file, now);
            }
        } catch (IOException | UnsupportedOperationException notOurs) {
            // Another user's, or of a file system without rights.
        }
    }

    private static void giveTo(UserPrincipal owner, PosixFileAttributeView view) throws IOException {
        UserPrincipal self = view.getOwner();
        if (!self.equals(owner)) {
            try {
                view.setOwner(owner);
            } catch (FileSystemException denied) {
                throw new IOException(
                        ("it belongs to the user %s, who could not read what %s puts in its place: run as its owner, or"
                                        + " change its owner")
                                .formatted(owner.getName(), self.getName()),
                        denied);
            }
        }
    }

    private static FileAttribute<?> onlyItsOwner() {
        return PosixFilePermissions.asFileAttribute(OWNERS);
    }
}
