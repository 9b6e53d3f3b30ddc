package io.millrace.backend.hub;

import io.millrace.backend.spi.object.ETag;

/**
 * A file or folder of a repository.
 *
 * @param path from the root of the repository; that of a folder ends in a slash
 * @param tag of a file, as a read tells it
 */
record TreeEntry(String path, long size, ETag tag) {
    boolean isFolder() {
        return path.endsWith("/");
    }
}
