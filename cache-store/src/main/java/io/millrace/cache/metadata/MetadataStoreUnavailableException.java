package io.millrace.cache.metadata;

import java.io.IOException;

/** Thrown when the metadata store cannot be read, because it hangs or has failed. The message gives the remedy. */
public final class MetadataStoreUnavailableException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataStoreUnavailableException() {
        this("it hangs");
    }

    MetadataStoreUnavailableException(String why) {
        super("the metadata store cannot be read now (" + why + "): retry later; if it persists, check its disk");
    }
}
