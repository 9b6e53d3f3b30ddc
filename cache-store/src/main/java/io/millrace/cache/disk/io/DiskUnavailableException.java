package io.millrace.cache.disk.io;

import java.io.IOException;
import java.nio.file.Path;

/** A disk is not to be read now, or a part of it cannot be, so what lies there cannot be told; the message says which, and what to do. */
public final class DiskUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param folder the disk's */
    public DiskUnavailableException(Path folder) {
        this(
                "the cache folder %s cannot be read now, so what it holds is not known: millrace disks says why; ask again when it is good, or lost"
                        .formatted(folder));
    }

    /**
     * Of one segment.
     *
     * @param failure of a read
     */
    DiskUnavailableException(Path segment, IOException failure) {
        this(
                "the segment %s cannot be read (%s), so what it holds is not known: ask again; if that stays so its disk is to be replaced"
                        .formatted(segment, failure));
    }

    private DiskUnavailableException(String message) {
        super(message, null, false, false);
    }
}
