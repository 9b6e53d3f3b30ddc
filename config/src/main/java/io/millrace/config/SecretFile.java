package io.millrace.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a secret out of a file that nobody else may read. Blocks. */
final class SecretFile {
    /** Largest in bytes: a key or token is far below, a wrong path often above. */
    private static final int LARGEST = 64 << 10;

    private static final Set<PosixFilePermission> OTHERS =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFile() {}

    /** The whole content, without one line end at its end: editors and {@code echo} add it. */
    static Secret read(Path file) throws Unfit {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new Unfit("is not a plain file", "give the path of a file that holds the secret and nothing else");
        }
        refuseReadableByOthers(file);
        byte[] bytes = SettingsFile.bytes(file, LARGEST);
        if (bytes.length > LARGEST) {
            throw new Unfit(
                    "the file is larger than " + new DataSize(LARGEST),
                    "check that it holds the secret and nothing else");
        }
        String secret = withoutLineEnd(SettingsFile.text(bytes));
        if (secret.isEmpty()) {
            throw new Unfit("the file is empty", "write the secret into it");
        }
        return Secret.of(secret);
    }

    private static void refuseReadableByOthers(Path file) throws Unfit {
        @Nullable PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null || !Files.exists(file)) {
            return;
        }
        try {
            if (view.readAttributes().permissions().stream().anyMatch(OTHERS::contains)) {
                throw new Unfit("the file can be read by others than its owner", "chmod 600 " + file);
            }
        } catch (IOException e) {
            throw new Unfit("the permissions of the file cannot be read", "check the path and its disk");
        }
    }

    private static String withoutLineEnd(String text) {
        if (text.endsWith("\r\n")) {
            return text.substring(0, text.length() - 2);
        }
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
