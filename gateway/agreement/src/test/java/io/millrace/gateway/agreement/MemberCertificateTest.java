package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.kit.CertificateEncoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.junit.jupiter.api.Test;

/** Whose certificates a member trusts: a proof is of one secret, one name and one key. */
class MemberCertificateTest {
    private static final Map<String, String> VOTERS =
            Map.of("gw-0", "gw-0:7801", "gw-1", "gw_1:7801", "gw-2", "[::1]:1");

    private final X509ExtendedTrustManager trust = trust(tls("gw-3", "secret"));

    @Test
    void voterIsTrustedAtItsAddressAlone() throws Exception {
        X509Certificate[] voter = chain(tls("gw-0", "secret"));

        trust.checkServerTrusted(voter, "UNKNOWN", engine("gw-0", 7801));
        assertRefusedAt(voter, engine("gw-0", 7802));
        assertRefusedAt(voter, engine("::1", 1));
    }

    @Test
    void hostIsThatOfTheListHoweverItIsWritten() {
        assertThatCode(() -> {
                    trust.checkServerTrusted(chain(tls("gw-1", "secret")), "UNKNOWN", engine("gw_1:7801", -1));
                    trust.checkServerTrusted(chain(tls("gw-2", "secret")), "UNKNOWN", engine("[::1]", 1));
                })
                .doesNotThrowAnyException();
    }

    @Test
    void memberIsTrustedAndNoStrangerIs() throws Exception {
        trust.checkClientTrusted(chain(tls("gw-3", "secret")), "UNKNOWN", engine("any", 1));

        assertThatThrownBy(() -> trust.checkClientTrusted(chain(tls("gw-3", "other")), "UNKNOWN", engine("any", 1)))
                .isInstanceOf(CertificateException.class);
    }

    /** Whoever connects sees a proof, and does not have its key. */
    @Test
    void proofIsWorthNothingWithAnotherKey() throws Exception {
        X509Certificate[] stolen = {withAnotherKey(chain(tls("gw-0", "secret"))[0])};

        assertThatThrownBy(() -> trust.checkClientTrusted(stolen, "UNKNOWN", engine("any", 1)))
                .isInstanceOf(CertificateException.class);
        assertRefusedAt(stolen, engine("gw-0", 7801));
    }

    @Test
    void bothSidesProveThemselvesByTls13() {
        GrpcTlsConfig tls = tls("gw-0", "secret");

        assertThat(tls.getMtlsEnabled()).isTrue();
        assertThat(tls.getProtocols()).containsExactly("TLSv1.3");
    }

    private void assertRefusedAt(X509Certificate[] chain, SSLEngine engine) {
        assertThatThrownBy(() -> trust.checkServerTrusted(chain, "UNKNOWN", engine))
                .isInstanceOf(CertificateException.class);
    }

    private static X509Certificate withAnotherKey(X509Certificate certificate)
            throws GeneralSecurityException, IOException {
        String subject = certificate.getSubjectX500Principal().getName().substring("CN=".length());
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        Instant now = Instant.now();
        byte[] encoded = new CertificateEncoder(subject, Set.of("millrace"))
                .signed(generator.generateKeyPair(), now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(1)));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
    }

    private static GrpcTlsConfig tls(String node, String secret) {
        try {
            return new MemberCertificate(new AgreementPlace(
                            "prod",
                            node,
                            VOTERS,
                            Set.of("gw-0", "gw-1", "gw-2", "gw-3"),
                            new InetSocketAddress(0),
                            secret,
                            Path.of("unused")))
                    .tls();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static X509ExtendedTrustManager trust(GrpcTlsConfig tls) {
        return (X509ExtendedTrustManager) tls.getTrustManager().getTrustManager();
    }

    private static X509Certificate[] chain(GrpcTlsConfig tls) {
        X509Certificate own =
                tls.getKeyManager().getKeyCertificates().get().iterator().next();
        return new X509Certificate[] {own};
    }

    private static SSLEngine engine(String host, int port) throws GeneralSecurityException {
        return SSLContext.getDefault().createSSLEngine(host, port);
    }
}
