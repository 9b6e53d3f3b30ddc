package io.millrace.backend.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;

/**
 * The attributes of a file, without following a symbolic link.
 *
 * @param modified when its bytes were last written; anybody may set it
 * @param changed when anything about it last changed; only the kernel sets it
 */
record FileStat(Type type, long size, Instant modified, Instant changed, long inode, long device) {
    /** The type of a directory entry. */
    enum Type {
        FILE,
        FOLDER,
        /** A link, a pipe, a socket, a device: never opened, since that may hang or lead out of the bucket. */
        OTHER
    }

    private static final String ATTRIBUTES = "unix:isRegularFile,isDirectory,size,lastModifiedTime,ctime,ino,dev";

    /**
     * Reads the attributes of a path. Touches the disk.
     *
     * @throws java.nio.file.NoSuchFileException if nothing is there
     */
    static FileStat of(Path path) throws IOException {
        return of(Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS));
    }

    boolean isFile() {
        return type == Type.FILE;
    }

    boolean isFolder() {
        return type == Type.FOLDER;
    }

    /** Returns the modification time as clients see it, in whole seconds. */
    Instant lastModified() {
        return modified.truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Returns a text that no other content of the file has. Device numbers change with a reboot, so they are not in it.
     */
    String validator() {
        return "%d-%d.%09d-%d.%09d-%d"
                .formatted(
                        size,
                        modified.getEpochSecond(),
                        modified.getNano(),
                        changed.getEpochSecond(),
                        changed.getNano(),
                        inode);
    }

    private static FileStat of(Map<String, Object> attributes) {
        return new FileStat(
                type(attributes),
                (Long) get(attributes, "size"),
                ((FileTime) get(attributes, "lastModifiedTime")).toInstant(),
                ((FileTime) get(attributes, "ctime")).toInstant(),
                (Long) get(attributes, "ino"),
                (Long) get(attributes, "dev"));
    }

    private static Type type(Map<String, Object> attributes) {
        if ((Boolean) get(attributes, "isRegularFile")) {
            return Type.FILE;
        }
        return (Boolean) get(attributes, "isDirectory") ? Type.FOLDER : Type.OTHER;
    }

    private static Object get(Map<String, Object> attributes, String name) {
        return Objects.requireNonNull(attributes.get(name), name);
    }
}
