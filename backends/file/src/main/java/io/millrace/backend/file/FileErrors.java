package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a failure of the file system means to a client, and what an operator should do about it. */
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

    /**
     * The same of a write.
     *
     * @param root where the disk is looked at, to tell one that is full
     */
    static BackendException ofWrite(IOException failure, Path root) {
        if (failure instanceof AccessDeniedException denied) {
            return new BackendException(
                    Kind.ACCESS_DENIED,
                    "%s may not be written: give the user that runs this program the right to"
                            .formatted(denied.getFile()));
        }
        return new BackendException(
                Kind.UNAVAILABLE, "writing failed: %s (%s)".formatted(failure, room(root)), failure);
    }

    private static String room(Path root) {
        try {
            return "the disk of %s has %d MiB left"
                    .formatted(root, Files.getFileStore(root).getUsableSpace() >> 20);
        } catch (IOException e) {
            return "the disk of %s cannot be asked".formatted(root);
        }
    }

    static BackendException changed(ObjectRef object) {
        return new BackendException(Kind.VERSION_CHANGED, "the file of %s was changed or replaced".formatted(object));
    }

    static BackendException noSuchKey(ObjectRef object) {
        return new BackendException(Kind.NO_SUCH_KEY, "no file holds " + object);
    }
}
