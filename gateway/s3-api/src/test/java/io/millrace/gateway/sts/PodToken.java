package io.millrace.gateway.sts;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/** The token file of a pod, and the identity provider that its tokens are of. */
final class PodToken implements AutoCloseable {
    /** Generated once: that takes longer than what many tests do. */
    private static final RSAKey KEY = key();

    private final OidcServer provider = new OidcServer();
    private final Path file;

    /** Writes a token of the pod {@code trainer} into this folder. */
    PodToken(Path folder) throws Exception {
        provider.publish(KEY);
        file = folder.resolve("token");
        write("system:pod:trainer");
    }

    private static RSAKey key() {
        try {
            return new RSAKeyGenerator(2048).keyID("first").generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a token of this subject. */
    void write(String subject) throws Exception {
        write(claims(subject));
    }

    /** Writes a token with these claims. */
    void write(JWTClaimsSet.Builder claims) throws Exception {
        writeText(OidcServer.signed(KEY, JWSAlgorithm.RS256, claims.build()));
    }

    /** Writes something in the place of a token. */
    void writeText(String text) throws IOException {
        Files.writeString(file, text);
    }

    String text() throws IOException {
        return Files.readString(file);
    }

    /** Returns valid claims, to be changed. */
    JWTClaimsSet.Builder claims(String subject) {
        return provider.claims(subject);
    }

    String issuer() {
        return provider.url();
    }

    /** Returns what assumes a role with the token, as a client in the pod does. */
    StsWebIdentityTokenFileCredentialsProvider credentials(StsClient sts, String role) {
        return StsWebIdentityTokenFileCredentialsProvider.builder()
                .stsClient(sts)
                .roleArn(StsClients.ROLE + role)
                .roleSessionName("test")
                .webIdentityTokenFile(file)
                .build();
    }

    /** Assumes the role {@code reader} with the token. */
    AwsSessionCredentials assume(StsClient sts) {
        return assume(sts, "reader");
    }

    /** Assumes a role with the token. */
    AwsSessionCredentials assume(StsClient sts, String role) {
        try (StsWebIdentityTokenFileCredentialsProvider credentials = credentials(sts, role)) {
            return (AwsSessionCredentials) credentials.resolveCredentials();
        }
    }

    /** Returns the body of a request for the role {@code reader}. */
    String form() throws IOException {
        return "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + StsClients.ROLE
                + "reader&RoleSessionName=test&WebIdentityToken=" + text();
    }

    @Override
    public void close() {
        provider.close();
    }
}
