package io.millrace.cache.metadata;

import java.io.IOException;

/** Thrown when files of the metadata store are corrupt or of another format: the store then starts empty. */
final class MetadataUnreadableException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataUnreadableException(String reason) {
        super(reason);
    }

    MetadataUnreadableException(Throwable cause) {
        super("it is corrupt: " + cause.getMessage(), cause);
    }
}
