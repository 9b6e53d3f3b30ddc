package io.millrace.gateway.audit;

import io.millrace.config.DataSize;
import io.millrace.kit.file.PrivateFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The file of the audit log: appends lines, and begins a new file when it is large or was taken away. Only its owner may read it.
 * Blocks; for one thread.
 */
final class AuditFile implements Closeable {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Path path;
    private final DataSize rotateAt;
    private final int keep;
    private final InstantSource clock;
    private @Nullable FileChannel channel;

    /** @param keep how many renamed files are kept; 0 for all */
    AuditFile(Path path, DataSize rotateAt, int keep, InstantSource clock) {
        this.path = path.toAbsolutePath();
        this.rotateAt = rotateAt;
        this.keep = keep;
        this.clock = clock;
    }

    /**
     * Appends bytes that end with a line.
     *
     * @throws IOException if they were not all written; a call with the same bytes then writes them again from the start of a line
     */
    void append(byte[] lines) throws IOException {
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
        if (open != null && open.size() >= rotateAt.bytes()) {
            close();
            Files.move(path, path.resolveSibling(prefix() + STAMP.format(clock.instant()) + suffix()));
            deleteOldest();
            open = null;
        }
        if (open == null || !Files.exists(path)) {
            close();
            open = PrivateFile.open(path);
            channel = open;
        }
        return open;
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
