package io.millrace.cache.metadata;

import java.io.IOException;

/** The metadata store would have to wait for its compaction: the entry can be stored a little later. */
final class MetadataBusyException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataBusyException(Throwable cause) {
        super("the metadata store is behind with its compaction", cause);
    }
}
