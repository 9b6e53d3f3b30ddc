package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.CredentialScope;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SigningKey;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests AWS's test vectors, in headers and in queries: all of the current suite, and those of the older suite that the
 * current one dropped or changed (44 requests, 82 signatures).
 *
 * <p>Seven are for services that normalize {@code .}, {@code ..} and {@code //} in a path before they sign (those named
 * {@code -normalized}; for get-space it makes no difference). S3 does not, so a verifier for S3 must refuse the path as
 * sent, and their signatures are checked with the normalized path. Three have a session token: their signatures are
 * checked, and the verifier, which issues no tokens, must refuse them.
 */
class AwsVectorsTest {
    private static final Instant NOW = Instant.parse("2015-08-30T12:36:00Z");

    @Test
    void theTableIsComplete() {
        List<AwsVector> all = AwsVector.all();

        assertThat(all).hasSize(44);
        assertThat(all.stream().map(AwsVector::name)).doesNotHaveDuplicates();
        assertThat(all.stream().filter(AwsVector::hasQueryForm)).hasSize(38);
        assertThat(all.stream().filter(v -> v.notes().containsKey("folded"))).hasSize(6);
        assertThat(all.stream().filter(AwsVector::hasToken)).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void headerSignatureIsAwss(AwsVector vector) {
        SentRequest sent = vector.folded().inHeader();

        assertThat(signature(sent, signedHeaders(sent.header("authorization")), vector.payload()))
                .isEqualTo(vector.headerSignature());
    }

    @ParameterizedTest
    @MethodSource("presignedVectors")
    void querySignatureIsAwss(AwsVector vector) {
        SentRequest sent = vector.folded().inQuery();

        assertThat(signature(sent, sent.parameter("X-Amz-SignedHeaders"), vector.payload()))
                .isEqualTo(vector.querySignature());
    }

    @ParameterizedTest
    @MethodSource("vectorsWithoutToken")
    void verifierAcceptsTheHeader(AwsVector vector) throws Exception {
        assertSigned(verifier(vector).verify(vector.folded().inHeader()), SignatureScheme.V4_HEADER);
    }

    @ParameterizedTest
    @MethodSource("presignedVectorsWithoutToken")
    void verifierAcceptsTheQuery(AwsVector vector) throws Exception {
        assertSigned(verifier(vector).verify(vector.folded().inQuery()), SignatureScheme.V4_QUERY);
    }

    @ParameterizedTest
    @MethodSource("foldedVectors")
    void verifierDoesNotFoldPaths(AwsVector vector) {
        assertRefused(vector, vector.inHeader(), Code.SIGNATURE_DOES_NOT_MATCH);
        assertRefused(vector, vector.inQuery(), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @MethodSource("vectorsWithToken")
    void verifierRefusesSessionTokens(AwsVector vector) {
        boolean isSigned = !vector.notes().containsKey("token-after");
        assertRefused(vector, vector.inHeader(), isSigned ? Code.INVALID_TOKEN : Code.ACCESS_DENIED);
        SentRequest presigned = vector.inQuery();
        boolean without = presigned.query().stream().noneMatch(p -> p.name().equals("X-Amz-Security-Token"));
        assertRefused(
                vector,
                without ? presigned.withParameter("X-Amz-Security-Token", "any") : presigned,
                Code.INVALID_TOKEN);
    }

    static Stream<AwsVector> vectors() {
        return AwsVector.all().stream();
    }

    static Stream<AwsVector> presignedVectors() {
        return vectors().filter(AwsVector::hasQueryForm);
    }

    static Stream<AwsVector> vectorsWithoutToken() {
        return vectors().filter(vector -> !vector.hasToken());
    }

    static Stream<AwsVector> presignedVectorsWithoutToken() {
        return presignedVectors().filter(vector -> !vector.hasToken());
    }

    static Stream<AwsVector> vectorsWithToken() {
        return vectors().filter(AwsVector::hasToken);
    }

    static Stream<AwsVector> foldedVectors() {
        return vectors().filter(vector -> vector.notes().containsKey("folded"));
    }

    /** The vectors are of a service that signs the body's hash in both forms and needs not state it. */
    private static RequestVerifier verifier(AwsVector vector) {
        IdentityRegistry identities = IdentityRegistry.of(List.of(new IdentitySettings(
                "tester", AwsVector.ACCESS_KEY, Secret.of(AwsVector.SECRET), List.of(AllowRule.parse("*")))));
        return new RequestVerifier(
                identities,
                SignatureSettings.defaults(),
                InstantSource.fixed(NOW),
                new V4ServiceProfile("service", vector.payload(), vector.payload()));
    }

    private static void assertSigned(Authentication authentication, SignatureScheme scheme) {
        assertThat(authentication).isInstanceOfSatisfying(Authentication.Signed.class, signed -> {
            assertThat(signed.principal().name()).isEqualTo("tester");
            assertThat(signed.scheme()).isEqualTo(scheme);
            assertThat(signed.signedAt()).isEqualTo(NOW);
        });
    }

    private static void assertRefused(AwsVector vector, SentRequest sent, Code code) {
        assertThatThrownBy(() -> verifier(vector).verify(sent))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(code));
    }

    private static String signedHeaders(String authorization) {
        return authorization.replaceAll(".*SignedHeaders=([^,]*),.*", "$1");
    }

    private static String signature(SentRequest sent, String signedHeaders, String payload) {
        CanonicalRequest.Builder canonical = CanonicalRequest.of(sent.method(), sent.path());
        sent.query().stream()
                .filter(parameter -> !parameter.name().equals("X-Amz-Signature"))
                .forEach(parameter -> canonical.parameter(parameter.name(), parameter.value()));
        new TreeSet<>(List.of(signedHeaders.split(";")))
                .forEach(name -> canonical.header(name, sent.headerValues(name)));
        CredentialScope scope = new CredentialScope("20150830", "us-east-1", "service");
        return SigningKey.derive(AwsVector.SECRET, scope)
                .sign(canonical.build(payload).stringToSign(AwsVector.TIMESTAMP, scope));
    }
}
