package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a secret from a file and refuses a file that group or others can read. Blocks. */
final class SecretFile {
    /** Size limit in bytes: secrets are far smaller; a larger file is probably the wrong path. */
    private static final int LARGEST = 64 << 10;

    private static final Set<PosixFilePermission> OTHERS =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFile() {}

    /** Returns the content without one final line break, which editors and {@code echo} add. */
    static Secret read(Path file) throws InvalidValueException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new InvalidValueException(
                    "is not a plain file", "give the path of a file that holds the secret and nothing else");
        }
        refuseReadableByOthers(file);
        byte[] bytes = SettingsFile.bytes(file, LARGEST);
        if (bytes.length > LARGEST) {
            throw new InvalidValueException(
                    "the file is larger than " + new DataSize(LARGEST),
                    "check that it holds the secret and nothing else");
        }
        String secret = withoutLineEnd(SettingsFile.text(bytes));
        if (secret.isEmpty()) {
            throw new InvalidValueException("the file is empty", "write the secret into it");
        }
        return Secret.of(secret);
    }

    /** Returns whether every user of the machine can read a file; false also if that cannot be found out. */
    static boolean isReadableByEverybody(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    private static void refuseReadableByOthers(Path file) throws InvalidValueException {
        @Nullable PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null || !Files.exists(file)) {
            return;
        }
        try {
            if (view.readAttributes().permissions().stream().anyMatch(OTHERS::contains)) {
                throw new InvalidValueException(
                        "the file can be read by users other than its owner", "chmod 600 " + file);
            }
        } catch (IOException e) {
            throw new InvalidValueException(
                    "the permissions of the file cannot be read", "check the path and its disk");
        }
    }

    private static String withoutLineEnd(String text) {
        if (text.endsWith("\r\n")) {
            return text.substring(0, text.length() - 2);
        }
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
