package io.millrace.kit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PEM file that an operator names. Its messages contain nothing of its content.
 *
 * @param name what names it: a key of the settings, or an option
 */
public record PemFile(String name, Path file) {
    /** A chain has a few kilobytes, a bundle of all public authorities some hundred. */
    private static final int MAX_BYTES = 4 << 20;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    /** Returns the certificates of the file, at least one. */
    public List<X509Certificate> certificates() throws UnusablePemFileException {
        List<byte[]> blocks = BLOCK.matcher(text())
                .results()
                .filter(block -> block.group(1).equals("CERTIFICATE"))
                .map(block -> Base64.getMimeDecoder().decode(block.group(2)))
                .toList();
        if (blocks.isEmpty()) {
            throw unusable("has no certificate", "write the path of a PEM file with BEGIN CERTIFICATE");
        }
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            X509Certificate[] certificates = new X509Certificate[blocks.size()];
            for (int i = 0; i < certificates.length; i++) {
                certificates[i] =
                        (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(blocks.get(i)));
            }
            return List.of(certificates);
        } catch (CertificateException e) {
            throw unusable("has a certificate that cannot be read", "export it again, in PEM");
        }
    }

    /** Returns the private key of the file. */
    public PrivateKey privateKey() throws UnusablePemFileException {
        Matcher block = BLOCK.matcher(text());
        while (block.find()) {
            String type = block.group(1);
            if (type.equals("PRIVATE KEY")) {
                return parse(Base64.getMimeDecoder().decode(block.group(2)));
            }
            if (type.endsWith("PRIVATE KEY")) {
                throw unusable(
                        "has a key of another form than PKCS#8 (%s)".formatted(type),
                        "convert it with openssl pkcs8 -topk8 -nocrypt -in %s -out key.pem".formatted(file));
            }
        }
        throw unusable("has no private key", "write the path of a PEM file with BEGIN PRIVATE KEY");
    }

    /** Returns the exception for a file that fits its purpose in no other way. */
    public UnusablePemFileException unusable(String problem, String remedy) {
        return new UnusablePemFileException(name, file, problem, remedy);
    }

    private PrivateKey parse(byte[] encoded) throws UnusablePemFileException {
        for (String algorithm : KEY_ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (GeneralSecurityException otherKind) {
                // The next one may fit.
            }
        }
        throw unusable("has a key that is neither RSA, EC nor EdDSA", "make a key of one of these kinds");
    }

    private String text() throws UnusablePemFileException {
        try {
            if (Files.isDirectory(file) || Files.size(file) > MAX_BYTES) {
                throw unusable("is no PEM file", "write the path of a PEM file");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw unusable("does not exist", "write the path of a PEM file");
        } catch (IOException e) {
            throw unusable("cannot be read", "let the user of Millrace read it");
        }
    }
}
