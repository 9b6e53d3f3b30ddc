package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The Java sources of all modules. */
final class SourceFiles {
    private static final Path ROOT = Path.of("../..");

    /** Not of the project, or written by a build that goes on meanwhile. */
    private static final Set<String> PRUNED = Set.of("target", ".git", ".ci", "node_modules");

    private SourceFiles() {}

    /** Returns the sources of packages of ours whose path contains {@code part}. */
    static List<Path> of(String part) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return PRUNED.contains(folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String path = file.toString();
                if (path.endsWith(".java") && path.contains("/java/io/millrace/") && path.contains(part)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(found).hasSizeGreaterThan(500);
        return found;
    }
}
