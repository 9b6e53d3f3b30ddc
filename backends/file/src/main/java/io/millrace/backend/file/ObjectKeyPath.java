package io.millrace.backend.file;

import io.millrace.backend.spi.object.ObjectKey;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The path, within the bucket's folder, of the file that holds the object of a key. Most keys are their own path;
 * {@link KeyComponentCodec} encodes the others.
 *
 * <p>A file system cannot hold a file {@code a} beside a folder {@code a}, but S3 can. The folder keeps the name, and
 * the object {@code a} becomes the file {@code a/%%~} in it. So a key has at most two possible paths, and the file type
 * at the first one decides.
 *
 * @param names the file names on the path from the bucket, the last one the file's
 */
record ObjectKeyPath(List<String> names) {
    ObjectKeyPath {
        names = List.copyOf(names);
    }

    static ObjectKeyPath of(ObjectKey key) {
        return new ObjectKeyPath(names(Stream.of(key.value().split("/", -1))));
    }

    /**
     * Returns the path of the folder that holds every key beginning with {@code prefix}, which ends in a slash or is
     * empty.
     */
    static ObjectKeyPath ofFolder(String prefix) {
        String[] components = prefix.split("/", -1);
        return new ObjectKeyPath(names(Stream.of(components).limit(components.length - 1L)));
    }

    /** Returns the path below {@code bucket}. */
    Path resolveIn(Path bucket) {
        Path path = bucket;
        for (String name : names) {
            path = Utf8FileNames.resolve(path, name);
        }
        return path;
    }

    private static List<String> names(Stream<String> components) {
        return components
                .flatMap(component -> KeyComponentCodec.encode(component).stream())
                .toList();
    }
}
