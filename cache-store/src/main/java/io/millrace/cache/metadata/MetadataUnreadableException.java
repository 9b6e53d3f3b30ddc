package io.millrace.cache.metadata;

import java.io.IOException;

/** Thrown when files of the metadata store are corrupt. */
final class MetadataCorruptException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataCorruptException(Throwable cause) {
        super("the metadata store is corrupt: " + cause.getMessage(), cause);
    }
}
