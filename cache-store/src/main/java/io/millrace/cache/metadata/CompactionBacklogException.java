package io.millrace.cache.metadata;

import java.io.IOException;

/** Thrown when a write would wait for the metadata store's compaction; it can be retried a little later. */
final class CompactionBacklogException extends IOException {
    private static final long serialVersionUID = 1;

    CompactionBacklogException(Throwable cause) {
        super("the metadata store is behind with its compaction", cause);
    }
}
