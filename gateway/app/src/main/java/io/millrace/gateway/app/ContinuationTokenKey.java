package io.millrace.gateway.app;

import io.millrace.gateway.app.settings.StartException;
import io.millrace.gateway.objects.file.PrivateFile;
import io.millrace.gateway.s3.listing.ContinuationTokenSealer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/** The key of {@link ContinuationTokenSealer}, in a file of the data folder: made at the first start and kept, as tokens outlive a restart. */
final class ContinuationTokenKey {
    private ContinuationTokenKey() {}

    /**
     * The key in this folder, made now if there is none.
     *
     * @throws StartException if the file cannot be written, read or understood
     */
    static byte[] in(Path data) {
        Path file = data.resolve("listing-key").toAbsolutePath().normalize();
        try {
            if (Files.notExists(file)) {
                byte[] key = new byte[ContinuationTokenSealer.KEY_BYTES];
                new SecureRandom().nextBytes(key);
                PrivateFile.write(file, List.of(HexFormat.of().formatHex(key)));
            }
            return read(file);
        } catch (IOException e) {
            throw new StartException("cannot read or write the key of listings in %s: %s".formatted(file, e), e);
        }
    }

    private static byte[] read(Path file) throws IOException {
        try {
            byte[] key = HexFormat.of().parseHex(Files.readString(file).strip());
            if (key.length == ContinuationTokenSealer.KEY_BYTES) {
                return key;
            }
        } catch (IllegalArgumentException notHexadecimal) {
            // As one of another length.
        }
        throw new IOException("it holds no key; remove it, and the next start makes another");
    }
}
