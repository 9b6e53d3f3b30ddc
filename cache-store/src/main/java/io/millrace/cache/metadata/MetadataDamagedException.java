package io.millrace.cache.metadata;

import java.io.IOException;

/** The metadata store's files are not what was written. */
final class MetadataDamagedException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataDamagedException(Throwable cause) {
        super("the metadata store is damaged: " + cause.getMessage(), cause);
    }
}
