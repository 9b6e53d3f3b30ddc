package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectKey;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the object of a key lies below its bucket. A key without oddities is its own path; see {@link Component} for the
 * others.
 *
 * <p>A file system cannot hold a file {@code a} beside a folder {@code a}, S3 can. The folder wins its name, and the object
 * {@code a} then lies in it, as {@code a/%%~}. So every key has two places at most, and which of them counts is plain from
 * what lies at the first.
 *
 * @param names the names on the way from the bucket, the last is the file's
 */
record KeyPath(List<String> names) {
    KeyPath {
        names = List.copyOf(names);
    }

    static KeyPath of(ObjectKey key) {
        return new KeyPath(names(Stream.of(key.value().split("/", -1))));
    }

    /** The folder that holds every key beginning with {@code prefix}, which ends in a slash or is empty. */
    static KeyPath ofFolder(String prefix) {
        String[] components = prefix.split("/", -1);
        return new KeyPath(names(Stream.of(components).limit(components.length - 1L)));
    }

    /** The place below {@code bucket}. */
    Path in(Path bucket) {
        Path path = bucket;
        for (String name : names) {
            path = FileNames.child(path, name);
        }
        return path;
    }

    private static List<String> names(Stream<String> components) {
        return components
                .flatMap(component -> Component.names(component).stream())
                .toList();
    }
}
