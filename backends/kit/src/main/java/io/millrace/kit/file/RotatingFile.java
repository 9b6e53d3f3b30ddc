package io.millrace.kit.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines: appends, and begins a new file when it is large, was taken away or another one is in its place, as
 * after logrotate. While that cannot be done in its folder, it goes on in the file that it has. Only its owner may read
 * it. Blocks; for one thread.
 */
public final class RotatingFile implements LineTarget {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final Pattern STAMPED = Pattern.compile("\\d{8}T\\d{6}\\.\\d{3}Z");
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Path path;
    private final long rotateAt;
    private final int keep;
    private final InstantSource clock;
    private final Consumer<IOException> notRotated;
    private Instant rotateFrom = Instant.MIN;
    private @Nullable FileChannel channel;

    /** What identifies the open file; null if it was taken away as soon as it was opened. */
    private @Nullable Object identity;

    /**
     * @param rotateAt the bytes from which on it is renamed
     * @param keep how many renamed files are kept; 0 for all
     * @param notRotated is told, once a minute at most, why it could not be renamed, or an old file not be deleted
     */
    public RotatingFile(Path path, long rotateAt, int keep, InstantSource clock, Consumer<IOException> notRotated) {
        this.path = path.toAbsolutePath();
        this.rotateAt = rotateAt;
        this.keep = keep;
        this.clock = clock;
        this.notRotated = notRotated;
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
        if (open != null && open.size() >= rotateAt && rename(clock.instant())) {
            close();
            open = null;
        }
        if (open == null) {
            open = PrivateFile.open(path);
            channel = open;
            identity = identityOfPath();
        }
        return open;
    }

    /** Renames the file, and returns whether that was done; not within a minute of a failure. */
    private boolean rename(Instant now) {
        if (now.isBefore(rotateFrom)) {
            return false;
        }
        boolean isRenamed = false;
        try {
            Files.move(path, path.resolveSibling(prefix() + STAMP.format(now) + suffix()));
            isRenamed = true;
            deleteOldest();
        } catch (IOException e) {
            rotateFrom = now.plus(PAUSE);
            notRotated.accept(e);
        }
        return isRenamed;
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
                Files.deleteIfExists(old);
            }
        }
    }

    private boolean isRenamed(String name) {
        int from = prefix().length();
        int to = name.length() - suffix().length();
        return name.startsWith(prefix())
                && name.endsWith(suffix())
                && from <= to
                && STAMPED.matcher(name.substring(from, to)).matches();
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
