package io.millrace.cache.metadata;

import java.io.IOException;

/** The metadata store's files are not what was written. */
final class MetadataCorruptException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataCorruptException(Throwable cause) {
        super("the metadata store is damaged: " + cause.getMessage(), cause);
    }
}
