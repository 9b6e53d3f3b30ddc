package io.millrace.gateway.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds the cache disk that an operator names by its folder. The server lists absolute folders. The operator may write
 * such a folder, a folder relative to the current one, or the relative folder in the settings, which the server
 * resolved.
 */
final class CacheDiskFinder {
    private static final Path PARENT = Path.of("..");

    private CacheDiskFinder() {}

    /** Returns the disks of that folder: none if there is none, several if it is the end of several folders. */
    static List<JsonObject> find(List<JsonObject> disks, String folder) {
        List<JsonObject> listed =
                disks.stream().filter(disk -> isListedAs(disk, folder)).toList();
        return listed.isEmpty() ? byPath(disks, folder) : listed;
    }

    private static boolean isListedAs(JsonObject disk, String folder) {
        return disk.text("path").equals(folder)
                || TerminalEscaper.escape(disk.text("path")).equals(folder);
    }

    private static List<JsonObject> byPath(List<JsonObject> disks, String folder) {
        Path named;
        try {
            named = Path.of(folder).normalize();
        } catch (InvalidPathException noPath) {
            return List.of();
        }
        Path absolute = named.toAbsolutePath().normalize();
        List<JsonObject> same = matching(disks, absolute::equals);
        return same.isEmpty() && !named.isAbsolute() ? endingWith(disks, withoutParents(named)) : same;
    }

    private static List<JsonObject> endingWith(List<JsonObject> disks, Path end) {
        return end.toString().isEmpty() ? List.of() : matching(disks, path -> path.endsWith(end));
    }

    private static List<JsonObject> matching(List<JsonObject> disks, Predicate<Path> condition) {
        return disks.stream()
                .filter(disk -> condition.test(Path.of(disk.text("path"))))
                .toList();
    }

    private static Path withoutParents(Path path) {
        int names = 0;
        while (names < path.getNameCount() - 1 && path.getName(names).equals(PARENT)) {
            names++;
        }
        Path rest = path.subpath(names, path.getNameCount());
        return rest.equals(PARENT) ? Path.of("") : rest;
    }
}
