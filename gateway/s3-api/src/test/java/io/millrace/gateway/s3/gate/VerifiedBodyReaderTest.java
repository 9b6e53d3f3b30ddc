package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.auth.Authentication;
import io.millrace.auth.Credential;
import io.millrace.auth.PayloadType;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.error.S3Exception;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies that the body of a signed request cannot be removed to turn it into another request. */
class VerifiedBodyReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UNSIGNED-PAYLOAD",
                "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
            })
    void aRequestWithoutABodyIsWhatWasSigned(String payload) {
        assertThatCode(() -> VerifiedBodyReader.requireOfNone(signed(payload))).doesNotThrowAnyException();
        assertThatCode(() -> VerifiedBodyReader.requireOfNone(new Authentication.Anonymous()))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesMissingSignedBody() {
        S3Exception refused =
                catchThrowableOfType(S3Exception.class, () -> VerifiedBodyReader.requireOfNone(signed("0".repeat(64))));

        assertThat(refused.code()).isEqualTo("XAmzContentSHA256Mismatch");
        assertThat(refused.status()).isEqualTo(400);
    }

    private static Authentication signed(String payload) {
        return new Authentication.Signed(
                new Credential("KEY", "secret", new Principal("somebody", List.of())),
                SignatureScheme.V4_HEADER,
                PayloadType.parse(payload).orElseThrow(),
                Instant.EPOCH,
                Optional.empty());
    }
}
