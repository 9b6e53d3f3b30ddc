package io.millrace.gateway.agreement;

import io.millrace.auth.SecretDerivation;
import io.millrace.auth.Sha256;
import io.millrace.kit.CertificateEncoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.security.TlsConf;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of this process among the members of its cluster, and the rule which others it trusts. Its key is
 * made for each process and is in no file. Its subject is a proof: of the cluster's secret, for this key and a member's
 * name. So whoever knows the secret is a member, as at the port of members, and nobody else; and who calls one member
 * does not take another for it. A stranger who connects sees such a proof, and can try guesses of the secret with it.
 */
final class MemberCertificate {
    private static final String PURPOSE = "millrace agreement certificate";

    /** Nobody looks: a process trusts what was proven, and lives as long as its key. */
    private static final Duration VALID = Duration.ofDays(3650);

    private final AgreementPlace place;
    private final Map<String, String> namesByAddress = new HashMap<>();

    MemberCertificate(AgreementPlace place) {
        this.place = place;
        place.voters().forEach((name, address) -> namesByAddress.put(withoutBrackets(address), name));
    }

    /** Returns the settings of mutual TLS 1.3 with a new key. */
    GrpcTlsConfig tls() throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            return GrpcTlsConfig.newBuilder()
                    .setPrivateKey(new TlsConf.PrivateKeyConf(keys.getPrivate()))
                    .setKeyCertificates(new TlsConf.CertificatesConf(certificate(keys)))
                    .setTrustManager(new ProvenMembers())
                    .setMutualTls(true)
                    // The other provider unpacks a native library, which it must be allowed to load.
                    .setSslProvider(SslProvider.JDK)
                    .setProtocols("TLSv1.3")
                    .build();
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate can be made (%s)".formatted(e.getMessage()), e);
        }
    }

    private X509Certificate certificate(KeyPair keys) throws GeneralSecurityException, IOException {
        Instant now = Instant.now();
        byte[] encoded = new CertificateEncoder(proof(place.node(), keys.getPublic()), Set.of("millrace"))
                .signed(keys, now.minus(VALID), now.plus(VALID));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
    }

    /** No part has a line feed. */
    private String proof(String name, PublicKey key) {
        String purpose = String.join("\n", PURPOSE, place.cluster(), name, Sha256.hex(key.getEncoded()));
        return HexFormat.of().formatHex(SecretDerivation.of(place.secret(), purpose));
    }

    private boolean isOf(String name, X509Certificate certificate) {
        String expected = "CN=" + proof(name, certificate.getPublicKey());
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8),
                certificate.getSubjectX500Principal().getName().getBytes(StandardCharsets.UTF_8));
    }

    private static String withoutBrackets(String address) {
        return address.replace("[", "").replace("]", "");
    }

    /** A trust manager that asks for the proof alone: that the other side has the key, TLS has seen. */
    private final class ProvenMembers extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            if (place.members().stream().noneMatch(name -> isOf(name, chain[0]))) {
                throw new CertificateException("not of a member of cluster " + place.cluster());
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            // A host that no URI may have, as one with an underscore, comes together with its port.
            int port = engine.getPeerPort();
            String address = withoutBrackets(engine.getPeerHost()) + (port < 0 ? "" : ":" + port);
            @Nullable String name = namesByAddress.get(address);
            if (name == null || !isOf(name, chain[0])) {
                throw new CertificateException(
                        "not of the voter of cluster %s at %s".formatted(place.cluster(), address));
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw withoutEngine();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw withoutEngine();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw withoutEngine();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw withoutEngine();
        }

        private static CertificateException withoutEngine() {
            return new CertificateException("it is not known who was called");
        }
    }
}
