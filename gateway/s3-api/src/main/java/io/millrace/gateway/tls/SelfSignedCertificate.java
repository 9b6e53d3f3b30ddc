package io.millrace.gateway.tls;

import io.millrace.kit.CertificateEncoder;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Certificate of this machine, signed by itself, with its private key. It is made once and kept in the data folder, so
 * that clients who trust it need not be told again. It is no authority: who trusts it trusts no other certificate.
 *
 * @param certificate the file in PEM
 * @param privateKey the file in PEM, which only its owner can read
 */
public record SelfSignedCertificate(Path certificate, Path privateKey) {
    /** The folder in the data folder. */
    static final String FOLDER = "tls";

    private static final int YEARS = 10;
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?");

    /** An address as a literal; a name would be looked up. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}|[0-9a-fA-F]*:[0-9a-fA-F:.]+");

    /**
     * Returns the certificate in the data folder, and makes it if there is none: of localhost, the loopback addresses,
     * the name of this machine and these addresses.
     *
     * @throws IOException if it cannot be written; the message has the folder
     */
    public static SelfSignedCertificate in(Path data, List<String> addresses) throws IOException {
        Path folder = data.resolve(FOLDER).toAbsolutePath().normalize();
        SelfSignedCertificate pair =
                new SelfSignedCertificate(folder.resolve("certificate.pem"), folder.resolve("private-key.pem"));
        try {
            if (!Files.isRegularFile(pair.certificate) || !Files.isRegularFile(pair.privateKey)) {
                Files.createDirectories(folder);
                pair.write(names(addresses));
            }
            return pair;
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException("no certificate can be made in %s (%s)".formatted(folder, FileFailureText.of(e)), e);
        }
    }

    private void write(Set<String> names) throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        Instant now = Instant.now();
        byte[] encoded = new CertificateEncoder("Millrace", names)
                .signed(keys, now, now.atOffset(ZoneOffset.UTC).plusYears(YEARS).toInstant());
        // The certificate last: it is what says that there is a pair.
        Files.deleteIfExists(certificate);
        PrivateFile.write(
                privateKey, List.of(pem("PRIVATE KEY", keys.getPrivate().getEncoded())));
        Path unfinished = certificate.resolveSibling("certificate.tmp");
        try (FileChannel file = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer text = ByteBuffer.wrap((pem("CERTIFICATE", encoded) + "\n").getBytes(StandardCharsets.US_ASCII));
            while (text.hasRemaining()) {
                file.write(text);
            }
            // Or the name may outlast a power loss without the content.
            file.force(true);
        }
        Files.move(unfinished, certificate, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Set<String> names(List<String> addresses) throws UnknownHostException {
        Set<String> names = new LinkedHashSet<>(List.of("localhost"));
        hostName().ifPresent(names::add);
        names.add("127.0.0.1");
        names.add("0:0:0:0:0:0:0:1");
        for (String address : addresses) {
            if (ADDRESS.matcher(address).matches()) {
                InetAddress literal = InetAddress.getByName(address);
                if (!literal.isAnyLocalAddress()) {
                    names.add(literal.getHostAddress());
                }
            }
        }
        return names;
    }

    private static Optional<String> hostName() {
        try {
            return Optional.of(InetAddress.getLocalHost().getHostName())
                    .filter(name -> HOST_NAME.matcher(name).matches());
        } catch (UnknownHostException nameless) {
            return Optional.empty();
        }
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----"
                .formatted(kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded));
    }
}
