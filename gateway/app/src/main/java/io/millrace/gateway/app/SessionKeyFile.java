package io.millrace.gateway.app;

import io.millrace.auth.session.SessionKey;
import io.millrace.gateway.app.settings.StartException;
import io.millrace.gateway.objects.file.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * File in the data folder with the keys of session tokens, in hexadecimal, one a line: the first encrypts, all decrypt.
 * The first start creates it with one key. Gateways that have the same file accept each other's tokens.
 */
final class SessionKeyFile {
    private SessionKeyFile() {}

    /**
     * Returns the keys in this folder, and creates one if there is no file.
     *
     * @throws StartException if the file cannot be written, read or parsed
     */
    static List<SessionKey> in(Path data) {
        Path file = data.resolve("session-keys").toAbsolutePath().normalize();
        try {
            if (Files.notExists(file)) {
                byte[] key = new byte[SessionKey.BYTES];
                new SecureRandom().nextBytes(key);
                PrivateFile.write(file, List.of(HexFormat.of().formatHex(key)));
            }
            return read(file);
        } catch (IOException e) {
            throw new StartException("cannot read or write the session keys in %s: %s".formatted(file, e), e);
        }
    }

    private static List<SessionKey> read(Path file) throws IOException {
        try {
            List<SessionKey> keys = Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank())
                    .map(line -> new SessionKey(HexFormat.of().parseHex(line.strip())))
                    .toList();
            if (!keys.isEmpty()) {
                return keys;
            }
        } catch (IllegalArgumentException notAKey) {
            // Refused below; the cause might show a part of a key.
        }
        throw new IOException("it must have a key of 64 hexadecimal digits a line; without the file, the next start"
                + " creates another, and all sessions end");
    }
}
