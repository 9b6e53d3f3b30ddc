package io.millrace.kit.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Makes folders that only their owner can enter, whatever the umask, so that nobody else reads what others create in
 * them.
 */
public final class PrivateFolder {
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");
    private static final String UID = "unix:uid";

    private PrivateFolder() {}

    /** Creates a folder, and those above it that are missing. One that exists stays as it is. */
    public static void create(Path folder) throws IOException {
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNERS));
    }

    /**
     * Creates a folder, as {@link #create} does, or takes the rights of others to one that exists.
     *
     * @return whether it is its owner's alone; another user's folder, and one of a file system without rights, stays as
     *     it is
     * @throws FileAlreadyExistsException if it is a file
     */
    public static boolean restrict(Path folder) throws IOException {
        create(folder);
        try {
            Set<PosixFilePermission> now = Files.getPosixFilePermissions(folder);
            if (!OWNERS.containsAll(now)) {
                now.retainAll(OWNERS);
                Files.setPosixFilePermissions(folder, now);
            }
            return OWNERS.containsAll(Files.getPosixFilePermissions(folder));
        } catch (IOException | UnsupportedOperationException notOurs) {
            return false;
        }
    }

    /** Returns whether a folder belongs to another user than this process runs as; false where that cannot be told. */
    public static boolean isOfAnotherUser(Path folder) {
        try {
            return !owner(folder).equals(thisUser());
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
            return false;
        }
    }

    private static Object owner(Path folder) throws IOException {
        return Files.getAttribute(folder, UID);
    }

    private static Object thisUser() throws IOException {
        return owner(Path.of("/proc/self"));
    }

    /** Returns why {@link #restrict} has left a folder to others, and what helps, for a message that names it. */
    public static String whyShared(Path folder) {
        try {
            Object owner = owner(folder);
            Object me = thisUser();
            return owner.equals(me)
                    ? "as its file system does not let its owner change that"
                    : "as it belongs to uid %s and this process runs as uid %s: chown it".formatted(owner, me);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
            return "as it is not this user's: chown it";
        }
    }
}
