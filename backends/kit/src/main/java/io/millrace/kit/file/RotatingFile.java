package io.millrace.kit.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines: appends, and begins a new file when it is large, was taken away or another one is in its place, as after logrotate.
 * Only its owner may read it. Blocks; for one thread.
 */
public final class RotatingFile implements LineTarget {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Path path;
    private final long rotateAt;
    private final int keep;
    private final InstantSource clock;
    private @Nullable FileChannel channel;

    /** What identifies the open file; null if it was taken away as soon as it was opened. */
    private @Nullable Object identity;

    /**
     * @param rotateAt the bytes from which on it is renamed
     * @param keep how many renamed files are kept; 0 for all
     */
    public RotatingFile(Path path, long rotateAt, int keep, InstantSource clock) {
        this.path = path.toAbsolutePath();
        this.rotateAt = rotateAt;
        this.keep = keep;
        this.clock = clock;
    }

    @Override
    public void append(byte[] lines) throws IOException {
        FileChannel file = current();
        long start = file.size();
        file.position(start);
        try {
            for (ByteBuffer rest = ByteBuffer.wrap(lines); rest.hasRemaining(); ) {
                file.write(rest);
            }
        } catch (IOException e) {
            truncate(file, start);
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            try (open) {
                open.force(true);
            }
        }
    }

    private FileChannel current() throws IOException {
        FileChannel open = channel;
        if (open != null && !isInItsPlace()) {
            close();
            open = null;
        }
        if (open != null && open.size() >= rotateAt) {
            close();
            Files.move(path, path.resolveSibling(prefix() + STAMP.format(clock.instant()) + suffix()));
            deleteOldest();
            open = null;
        }
        if (open == null) {
            open = PrivateFile.open(path);
            channel = open;
            identity = identityOfPath();
        }
        return open;
    }

    private boolean isInItsPlace() throws IOException {
        return identity != null && identity.equals(identityOfPath());
    }

    private @Nullable Object identityOfPath() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException takenAway) {
            return null;
        }
    }

    /** A full file system takes a part of a line. */
    private static void truncate(FileChannel file, long start) throws IOException {
        if (file.size() > start) {
            file.truncate(start);
        }
    }

    private void deleteOldest() throws IOException {
        if (keep == 0) {
            return;
        }
        Path folder = path.getParent();
        try (Stream<Path> files = Files.list(folder == null ? path : folder)) {
            List<Path> renamed = files.filter(file -> isRenamed(String.valueOf(file.getFileName())))
                    .sorted(Comparator.reverseOrder())
                    .skip(keep)
                    .toList();
            for (Path old : renamed) {
                Files.delete(old);
            }
        }
    }

    private boolean isRenamed(String name) {
        int stamp = name.length() - prefix().length() - suffix().length();
        return name.startsWith(prefix()) && name.endsWith(suffix()) && stamp == "20260102T030405.678Z".length();
    }

    private String prefix() {
        String name = String.valueOf(path.getFileName());
        int dot = name.lastIndexOf('.');
        return (dot <= 0 ? name : name.substring(0, dot)) + "-";
    }

    private String suffix() {
        String name = String.valueOf(path.getFileName());
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? "" : name.substring(dot);
    }
}
