package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.CredentialScope;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests which characters and lengths the parts of a claim may have. A claim is read before anything is proved, and its
 * parts go into logs and into the text that is signed.
 */
class V4SignatureClaimTest {
    private static final String CREDENTIAL = "KEY/20261120/us-east-1/s3/aws4_request";

    @Test
    void partsAreThoseOfTheText() throws Exception {
        V4SignatureClaim claim = claim(CREDENTIAL, "host;x-amz-date");

        assertThat(claim.accessKey()).isEqualTo("KEY");
        assertThat(claim.scope()).isEqualTo(new CredentialScope("20261120", "us-east-1", "s3"));
        assertThat(claim.signedHeaders()).containsExactly("host", "x-amz-date");
        assertThat(claim.signature()).isEqualTo("00");
    }

    @Test
    void signedHeadersMayHaveAllVisibleCharactersOfLowerCase() throws Exception {
        assertThat(claim(CREDENTIAL, "!;@;[;`;host;{;~").signedHeaders())
                .containsExactly("!", "@", "[", "`", "host", "{", "~");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host;x y", "host;x\t", "host;x\u007f", "host;x\u0080", "host;x:", "host;xA", "host;xZ"})
    void otherSignedHeadersAreMalformed(String names) {
        assertMalformed(CREDENTIAL, names);
    }

    @ParameterizedTest
    @ValueSource(strings = {"KEY", "20261120", "us-east-1"})
    void partsOfACredentialAreVisibleAndNotLong(String part) throws Exception {
        for (String right : new String[] {"!", "~", "a".repeat(128)}) {
            assertThat(claim(CREDENTIAL.replace(part, right), "host").key()).isNotNull();
        }
        for (String wrong : new String[] {"", "a b", " ", "a\u007f", "a\u0080", "a\n", "a".repeat(129)}) {
            assertMalformed(CREDENTIAL.replace(part, wrong), "host");
        }
    }

    private static V4SignatureClaim claim(String credential, String names) throws RequestVerificationException {
        return V4SignatureClaim.parse(credential, names, "00", "s3", Code.AUTHORIZATION_HEADER_MALFORMED);
    }

    private static void assertMalformed(String credential, String names) {
        assertThatThrownBy(() -> claim(credential, names))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.AUTHORIZATION_HEADER_MALFORMED));
    }
}
