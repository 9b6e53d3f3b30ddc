package io.millrace.cache.metadata;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the folder of the metadata store cannot be used. The message names the folder, the reason and the remedy.
 */
public final class MetadataFolderException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataFolderException(String problem, @Nullable Throwable cause) {
        super("the folder of the metadata store " + problem + ": give it another path, or make it usable", cause);
    }
}
