package io.millrace.loadgen;

import io.millrace.loadgen.client.GeneratedObjects;
import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.client.TestObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads the catalog of a scenario's objects: computed, from a listing of the bucket, or from a file of keys. Blocks.
 */
final class CatalogReader {
    private static final char BEFORE_SIZE = '\t';

    private CatalogReader() {}

    /**
     * Returns the catalog.
     *
     * @throws IOException if the bucket or the file cannot be read, or has no object; the message says why
     */
    static ObjectCatalog read(ObjectSettings settings, S3ConnectionFactory connections)
            throws IOException, InterruptedException {
        return switch (settings.source()) {
            case GENERATED -> new GeneratedObjects(settings.prefix(), settings.count(), settings.size());
            case LISTED -> listed(settings, connections);
            case FILE -> new ExistingObjects(keys(settings.keysFile().orElseThrow()));
        };
    }

    private static ObjectCatalog listed(ObjectSettings settings, S3ConnectionFactory connections)
            throws IOException, InterruptedException {
        S3Connection connection = connections.create();
        List<TestObject> objects = new TestObjectLister(connection).list(settings.prefix(), settings.count());
        connection.schedule(connection::close, 0);
        if (objects.isEmpty()) {
            throw new IOException("the bucket has no object below '%s'".formatted(settings.prefix()));
        }
        return new ExistingObjects(objects);
    }

    private static List<TestObject> keys(Path file) throws IOException {
        List<TestObject> objects = Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank())
                .map(CatalogReader::object)
                .toList();
        if (objects.isEmpty()) {
            throw new IOException(file + " has no key");
        }
        return objects;
    }

    /** Parses a key, or a key, a tab and its size. */
    private static TestObject object(String line) {
        int tab = line.lastIndexOf(BEFORE_SIZE);
        return tab > 0 && line.substring(tab + 1).matches("[0-9]{1,18}")
                ? TestObject.existing(line.substring(0, tab), Long.parseLong(line.substring(tab + 1)))
                : TestObject.existing(line, TestObject.UNKNOWN_SIZE);
    }
}
