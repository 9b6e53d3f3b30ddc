package io.millrace.cache.metadata;

import java.io.IOException;

/** Thrown when the metadata store cannot be read, because it hangs or has failed. The message gives the remedy. */
public final class MetadataUnavailableException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataUnavailableException() {
        this("it hangs");
    }

    MetadataUnavailableException(String why) {
        super("the metadata store cannot be read now (" + why + "): retry later; if it persists, check its disk");
    }
}
