package io.millrace.gateway.app;

import io.millrace.auth.SecretDerivation;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * Loads the key of {@link ContinuationTokenSealer} from a file in the data folder. The first start creates it; it is
 * kept, because continuation tokens must survive a restart. In a cluster, where a list may go on at another member, the
 * key is derived from the secret of all.
 */
final class ContinuationTokenKey {
    private ContinuationTokenKey() {}

    /** Returns the key that all members of a cluster have; without a cluster, that of the data folder. */
    static byte[] of(MillraceSettings settings) {
        return settings.cluster()
                .map(own -> SecretDerivation.of(own.secret().reveal(), "millrace continuation tokens 1 " + own.name()))
                .orElseGet(() -> in(settings.data()));
    }

    /**
     * Returns the key in this folder, and creates it if there is none.
     *
     * @throws StartException if the file cannot be written, read or parsed
     */
    private static byte[] in(Path data) {
        Path file = data.resolve("listing-key").toAbsolutePath().normalize();
        try {
            if (Files.notExists(file)) {
                byte[] key = new byte[ContinuationTokenSealer.KEY_BYTES];
                new SecureRandom().nextBytes(key);
                PrivateFile.write(file, List.of(HexFormat.of().formatHex(key)));
            }
            return read(file);
        } catch (IOException e) {
            throw new StartException(
                    "cannot read or write the continuation-token key in %s: %s".formatted(file, FileFailureText.of(e)),
                    e);
        }
    }

    private static byte[] read(Path file) throws IOException {
        try {
            byte[] key = HexFormat.of().parseHex(Files.readString(file).strip());
            if (key.length == ContinuationTokenSealer.KEY_BYTES) {
                return key;
            }
        } catch (IllegalArgumentException notHexadecimal) {
            // Refused below, as a key of another length.
        }
        throw new IOException("it holds no key; remove the file, and the next start creates another");
    }
}
