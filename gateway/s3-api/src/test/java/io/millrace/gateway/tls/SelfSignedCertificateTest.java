package io.millrace.gateway.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.kit.KeyAndCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the certificate that the program makes itself: its names, its use, its files, and that it stays the same. */
class SelfSignedCertificateTest {
    @TempDir
    private Path data;

    @Test
    void namesThisMachineAndTheAddressesOfTheSettings() throws Exception {
        X509Certificate certificate = read(SelfSignedCertificate.in(
                data, List.of("127.0.0.1", "0.0.0.0", "192.0.2.7", "::", "2001:db8::1", "a-name.example")));

        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity(Date.from(Instant.now().plus(Duration.ofDays(9 * 365))));
        assertThat(certificate.getSubjectAlternativeNames().stream().map(name -> String.valueOf(name.get(1))))
                .contains("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "192.0.2.7", "2001:db8:0:0:0:0:0:1")
                .doesNotContain("0.0.0.0", "0:0:0:0:0:0:0:0", "a-name.example")
                .doesNotHaveDuplicates();
    }

    @Test
    void isOfAServerAndOfNoAuthority() throws Exception {
        X509Certificate certificate = read(SelfSignedCertificate.in(data, List.of()));

        assertThat(certificate.getVersion()).isEqualTo(3);
        assertThat(certificate.getBasicConstraints()).isEqualTo(-1);
        assertThat(certificate.getKeyUsage()[0]).isTrue();
        assertThat(certificate.getKeyUsage()[5]).isFalse();
        assertThat(certificate.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(certificate.getSerialNumber()).isPositive();
    }

    @Test
    void laterStartsFindTheSamePair() throws Exception {
        SelfSignedCertificate first = SelfSignedCertificate.in(data, List.of());
        String certificate = Files.readString(first.certificate());

        SelfSignedCertificate again = SelfSignedCertificate.in(data, List.of("192.0.2.7"));

        assertThat(again).isEqualTo(first);
        assertThat(Files.readString(again.certificate())).isEqualTo(certificate);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first.privateKey())))
                .isEqualTo("rw-------");
        assertThat(KeyAndCertificate.belongTogether(key(again), read(again))).isTrue();
    }

    @Test
    void aPairWithoutItsKeyIsMadeAgain() throws Exception {
        SelfSignedCertificate first = SelfSignedCertificate.in(data, List.of());
        X509Certificate before = read(first);
        Files.delete(first.privateKey());

        SelfSignedCertificate again = SelfSignedCertificate.in(data, List.of());

        assertThat(read(again)).isNotEqualTo(before);
        assertThat(KeyAndCertificate.belongTogether(key(again), read(again))).isTrue();
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws Exception {
        Files.writeString(data.resolve("tls"), "a file");

        assertThatThrownBy(() -> SelfSignedCertificate.in(data, List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no certificate can be made in " + data.resolve("tls"));
    }

    private static PrivateKey key(SelfSignedCertificate pair) throws Exception {
        String encoded = Files.readString(pair.privateKey()).replaceAll("-----[A-Z ]+-----", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(encoded)));
    }

    private static X509Certificate read(SelfSignedCertificate pair) throws Exception {
        try (InputStream file = Files.newInputStream(pair.certificate())) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file);
        }
    }
}
