package io.millrace.kit.file;

import java.io.EOFException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Optional;

/** Words for people for the failure of a file or folder; Java says it with the name of a class and the path alone. */
public final class FileFailureText {
    private FileFailureText() {}

    /** Returns the reason of a failure, as the end of a sentence that names the file or folder. */
    public static String of(Throwable failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "this user has no permission";
        }
        if (failure instanceof NotDirectoryException plain) {
            return "%s is no folder".formatted(plain.getFile());
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "the folder is not empty";
        }
        if (failure instanceof FileAlreadyExistsException existing) {
            return "%s is there already".formatted(existing.getFile());
        }
        if (failure instanceof FileSystemLoopException) {
            return "its links go round in a circle";
        }
        if (failure instanceof CharacterCodingException) {
            return "it is not UTF-8";
        }
        return ofMessage(failure);
    }

    /** Returns the file or folder, if the failure tells which it was, and the reason of the failure. */
    public static String named(Throwable failure) {
        String reason = of(failure);
        return file(failure)
                .filter(file -> !reason.startsWith(file))
                .map(file -> "%s: %s".formatted(file, reason))
                .orElse(reason);
    }

    private static Optional<String> file(Throwable failure) {
        return failure instanceof FileSystemException known ? Optional.ofNullable(known.getFile()) : Optional.empty();
    }

    private static String ofMessage(Throwable failure) {
        Optional<String> said = Optional.ofNullable(
                failure instanceof FileSystemException detailed ? detailed.getReason() : failure.getMessage());
        return said.filter(words -> !words.isBlank())
                .orElse(failure instanceof EOFException ? "it ends too early" : "no reason is known");
    }
}
