package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.nio.file.AccessDeniedException;

/** What a failure of the file system means to a reader, and what an operator should do about it. */
final class FileErrors {
    private FileErrors() {}

    static BackendException of(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return new BackendException(
                    Kind.ACCESS_DENIED,
                    "%s may not be read: give the user that runs this program the right to"
                            .formatted(denied.getFile()));
        }
        // Everything else is a disk in trouble, or one that is gone for the moment.
        return new BackendException(Kind.UNAVAILABLE, "the file system failed: " + failure, failure);
    }

    static BackendException changed(ObjectRef object) {
        return new BackendException(Kind.VERSION_CHANGED, "the file of %s was changed or replaced".formatted(object));
    }

    static BackendException noSuchKey(ObjectRef object) {
        return new BackendException(Kind.NO_SUCH_KEY, "no file holds " + object);
    }
}
