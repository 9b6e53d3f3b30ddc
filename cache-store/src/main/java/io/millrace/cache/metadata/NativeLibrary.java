package io.millrace.cache.metadata;

import java.io.IOException;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library: from {@code java.library.path}, which the script {@code millrace} sets to the install folder, so that
 * neither a read-only file system nor a temporary folder without the right to execute stands in its way. Without that, as in tests, RocksDB
 * unpacks it to a temporary folder.
 */
final class NativeLibrary {
    private NativeLibrary() {}

    static void load() throws IOException {
        try {
            RocksDB.loadLibrary();
        } catch (RuntimeException | UnsatisfiedLinkError e) {
            throw new IOException(
                    "the native library of the metadata store cannot be loaded (%s): Millrace runs on Linux with glibc"
                            .formatted(e.getMessage()),
                    e);
        }
    }
}
