package io.millrace.gateway.app.command;

import io.millrace.config.Secret;
import io.millrace.gateway.app.StartException;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Key pair generated for the operator. It is kept in a file that only its owner can read, in the format of AWS tools
 * ({@code AWS_SHARED_CREDENTIALS_FILE}).
 */
record GeneratedKeys(Path file, String accessKey, Secret secretKey) {
    /** Name of the file in the data folder. */
    static final String FILE = "credentials";

    private static final String ACCESS = "aws_access_key_id";
    private static final String SECRET = "aws_secret_access_key";

    /**
     * Returns the keys in this folder, and creates them if there are none.
     *
     * @throws StartException if the file cannot be written, read or parsed
     */
    static GeneratedKeys in(Path data) {
        Path file = data.resolve(FILE).toAbsolutePath().normalize();
        try {
            if (Files.notExists(file)) {
                write(file);
            }
            return read(file);
        } catch (IOException e) {
            throw new StartException(
                    "cannot read or write the generated keys in %s: %s".formatted(file, FileFailureText.of(e)), e);
        }
    }

    private static void write(Path file) throws IOException {
        SecureRandom random = new SecureRandom();
        byte[] id = new byte[8];
        byte[] secret = new byte[30];
        random.nextBytes(id);
        random.nextBytes(secret);
        List<String> lines = List.of(
                "[default]",
                ACCESS + " = MR" + HexFormat.of().formatHex(id).toUpperCase(Locale.ROOT),
                SECRET + " = " + Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
        PrivateFile.write(file, lines);
    }

    private static GeneratedKeys read(Path file) throws IOException {
        Map<String, String> values = Files.readAllLines(file).stream()
                .map(line -> line.split("=", 2))
                .filter(parts -> parts.length == 2)
                .collect(Collectors.toMap(
                        parts -> parts[0].strip(), parts -> parts[1].strip(), (first, again) -> first));
        String access = values.get(ACCESS);
        String secret = values.get(SECRET);
        if (access == null || secret == null || secret.isEmpty()) {
            throw new IOException("it holds no key pair; remove the file, and the next start creates another");
        }
        return new GeneratedKeys(file, access, Secret.of(secret));
    }
}
