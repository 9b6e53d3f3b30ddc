package io.millrace.cache.disk;

import java.nio.file.Path;

/** A disk is not to be read now, so what lies on it cannot be told; the message says which, and what to do. */
public final class DiskUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param folder the disk's */
    public DiskUnavailableException(Path folder) {
        super(
                "the cache folder %s cannot be read now, so what it holds is not known: millrace disks says why; ask again when it is good, or lost"
                        .formatted(folder),
                null,
                false,
                false);
    }
}
