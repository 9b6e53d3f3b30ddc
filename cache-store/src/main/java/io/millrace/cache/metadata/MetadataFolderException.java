package io.millrace.cache.metadata;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The folder of the metadata store cannot be used; the message says which, why, and what to do. */
public final class MetadataFolderException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataFolderException(String problem, @Nullable Throwable cause) {
        super("the folder of the metadata store " + problem + ": give it another path, or make it usable", cause);
    }
}
