package io.millrace.cache.metadata;

import java.io.IOException;

/** The metadata store hangs, or has failed, so what it holds cannot be told now; the message says what to do. */
public final class MetadataUnavailableException extends IOException {
    private static final long serialVersionUID = 1;

    MetadataUnavailableException() {
        this("it hangs");
    }

    MetadataUnavailableException(String why) {
        super("the metadata store cannot be read now (" + why
                + "), so what it holds is not known: ask again when it goes on; if that stays so, look at its disk");
    }
}
