package io.millrace.cache.metadata;

import java.io.IOException;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native library from {@code java.library.path}. The script {@code millrace} sets that to the install
 * folder, so that a read-only file system or a temporary folder mounted {@code noexec} is no problem. Without it, as in
 * tests, RocksDB unpacks the library to a temporary folder.
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
