package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Maps file system failures to backend errors that tell an operator what to do. */
final class FileErrorMapper {
    private FileErrorMapper() {}

    static BackendException ofRead(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return new BackendException(
                    FailureKind.ACCESS_DENIED,
                    "%s cannot be read: give the user that runs this program read permission"
                            .formatted(denied.getFile()));
        }
        return failed(FileFailureText.named(failure), failure);
    }

    /** Maps the failure of a read of an open file, which does not tell which file it was. */
    static BackendException ofRead(IOException failure, ObjectRef object) {
        return failure instanceof FileSystemException
                ? ofRead(failure)
                : failed("%s: %s".formatted(object, FileFailureText.of(failure)), failure);
    }

    /** Everything else is a failing disk, or one that is gone for the moment. */
    private static BackendException failed(String what, IOException failure) {
        return new BackendException(
                FailureKind.UNAVAILABLE, "the file system failed; check the disk: " + what, failure);
    }

    /**
     * Maps the failure of a write.
     *
     * @param root the folder whose free space is reported, so that a full disk is recognized
     */
    static BackendException ofWrite(IOException failure, Path root) {
        if (failure instanceof AccessDeniedException denied) {
            return new BackendException(
                    FailureKind.ACCESS_DENIED,
                    "%s cannot be written: give the user that runs this program write permission"
                            .formatted(denied.getFile()));
        }
        return new BackendException(
                FailureKind.UNAVAILABLE,
                "writing failed: %s (%s)".formatted(FileFailureText.named(failure), freeSpace(root)),
                failure);
    }

    private static String freeSpace(Path root) {
        try {
            return "the disk of %s has %d MiB left"
                    .formatted(root, Files.getFileStore(root).getUsableSpace() >> 20);
        } catch (IOException e) {
            return "the free space of %s is unknown".formatted(root);
        }
    }

    static BackendException changed(ObjectRef object) {
        return new BackendException(
                FailureKind.VERSION_CHANGED, "the file of %s was changed or replaced".formatted(object));
    }

    static BackendException noSuchKey(ObjectRef object) {
        return new BackendException(FailureKind.NO_SUCH_KEY, "no file holds " + object);
    }
}
