package io.millrace.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies the files of a running process as a kill would leave them. */
public final class FolderSnapshot {
    private FolderSnapshot() {}

    /** Copies a folder with all that is in it. */
    public static Path folder(Path from, Path to) {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
            all = walk.toList();
            for (Path path : all) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    copy(path, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return to;
    }

    /** A file that has been renamed or removed since the folder was listed is not left behind either. */
    private static void copy(Path from, Path to) throws IOException {
        try {
            Files.copy(from, to);
        } catch (NoSuchFileException e) {
            Files.deleteIfExists(to);
        }
    }
}
