package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the responses of token endpoints mean, in the forms of each cloud. */
class TokenResponseTest {
    private static final URI ENDPOINT = URI.create("https://login.example.com/token");
    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'access_token':'abc','expires_in':60}",
                "{'expires_in':'60','ext':{'a':[{'access_token':'other'}]},'access_token':'abc'}",
                "{'access_token':'abc','expires_on':'1795514460','not_before':null}",
                "{'access_token':'abc','expires_on':1795514460,'expires_in':''}"
            })
    void tokenExpiresInSecondsFromNowOrAtATime(String body) {
        assertThat(response(200, body).token(NOW)).isEqualTo(new AccessToken("abc", NOW.plusSeconds(60)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>abc</html>",
                "['abc']",
                "{'access_token':'abc'}",
                "{'access_token':'abc','expires_in':0}",
                "{'access_token':'abc','expires_in':'soon'}",
                "{'access_token':'abc','expires_in':9223372036854775807}",
                "{'access_token':'abc','expires_on':1}",
                "{'access_token':null,'expires_in':60}",
                "{'access_token':'abc\\r\\nx','expires_in':60}",
                "{'access_token':['abc'],'expires_in':60}",
                "{'access_token':'abc','expires_in':60"
            })
    void whatIsNoValidTokenIsRefusedWithoutBeingQuoted(String body) {
        BackendException refused = catchThrowableOfType(
                BackendException.class, () -> response(200, body).token(NOW));

        assertThat(refused.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(refused).hasMessageNotContaining("abc").hasNoCause();
    }

    @ParameterizedTest
    @CsvSource({
        "400, CREDENTIALS_REJECTED",
        "401, CREDENTIALS_REJECTED",
        "404, CREDENTIALS_REJECTED",
        "302, CREDENTIALS_REJECTED",
        "408, UNAVAILABLE",
        "429, UNAVAILABLE",
        "500, UNAVAILABLE",
        "503, UNAVAILABLE"
    })
    void statusTellsWhetherTheCredentialsAreRejected(int status, FailureKind kind) {
        BackendException refused =
                catchThrowableOfType(BackendException.class, () -> response(status, "{'access_token':'abc'}"));

        assertThat(refused.kind()).isEqualTo(kind);
        assertThat(refused).hasMessage("login.example.com responds with status " + status);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'error':'invalid_client','error_description':'wrong\\r\\nTrace: 1'} | : invalid_client wrong",
                "{'error':{'code':403,'status':'PERMISSION_DENIED','message':'no\\u0007'}} |"
                        + " : PERMISSION_DENIED no\\u{7}",
                "{'error':'invalid_grant'} | : invalid_grant"
            },
            quoteCharacter = '~')
    void errorHasTheFirstLineOfTheEndpointsWords(String body, String words) {
        assertThatThrownBy(() -> response(400, body)).hasMessage("login.example.com responds with status 400" + words);
    }

    private static TokenResponse response(int status, String body) {
        return TokenResponse.of(ENDPOINT, status, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
