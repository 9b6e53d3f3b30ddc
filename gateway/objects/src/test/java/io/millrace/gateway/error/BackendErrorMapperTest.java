package io.millrace.gateway.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Verifies the S3 errors for backend failures. Clients act on them: a 404 for an unavailable backend would make data
 * look deleted.
 */
class BackendErrorMapperTest {
    @ParameterizedTest
    @CsvSource({
        "NO_SUCH_KEY,404,NoSuchKey",
        "NO_SUCH_VERSION,404,NoSuchVersion",
        "NO_SUCH_BUCKET,404,NoSuchBucket",
        "ACCESS_DENIED,403,AccessDenied",
        "CREDENTIALS_REJECTED,502,BadGateway",
        "NOT_MODIFIED,304,NotModified",
        "PRECONDITION_FAILED,412,PreconditionFailed",
        "INVALID_RANGE,416,InvalidRange",
        "INVALID_PART,416,InvalidPartNumber",
        "INVALID_REQUEST,400,InvalidRequest",
        "INVALID_STATE,403,InvalidObjectState",
        "UNSUPPORTED,501,NotImplemented",
        "VERSION_CHANGED,503,ServiceUnavailable",
        "INVALID_RESPONSE,503,ServiceUnavailable",
        "THROTTLED,503,SlowDown",
        "BUSY,503,SlowDown",
        "UNAVAILABLE,503,ServiceUnavailable",
        "UNEXPECTED,500,InternalError"
    })
    void eachKindHasItsError(BackendException.FailureKind kind, int status, String code) {
        S3Exception error = BackendErrorMapper.toS3(new BackendException(kind, "10.0.0.1 refused key AKIA"));

        assertThat(error.status()).isEqualTo(status);
        assertThat(error.code()).isEqualTo(code);
        assertThat(error.text()).doesNotContain("10.0.0.1");
    }

    /** Of an absent key the client is told all, and an operator who reads of thousands needs no more. */
    @ParameterizedTest
    @CsvSource({
        "ACCESS_DENIED, true",
        "CREDENTIALS_REJECTED, true",
        "UNAVAILABLE, true",
        "NO_SUCH_BUCKET, true",
        "NO_SUCH_KEY, false"
    })
    void causeIsForOperatorsOnly(BackendException.FailureKind kind, boolean isTold) {
        S3Exception error = BackendErrorMapper.toS3(new BackendException(kind, "10.0.0.1 refused key AKIA"));

        assertThat(error.reason()).isEqualTo(isTold ? "10.0.0.1 refused key AKIA" : "");
        assertThat(error.with("Key", "k").withHeaders(HeaderList.EMPTY).reason())
                .isEqualTo(error.reason());
    }

    /** A client that gets AccessDenied would search for the reason in its own key, in vain. */
    @ParameterizedTest
    @EnumSource(names = {"ACCESS_DENIED", "CREDENTIALS_REJECTED", "UNAVAILABLE"})
    void rejectedGatewayCredentialsAreNotTheClientsFault(BackendException.FailureKind kind) {
        assertThat(BackendErrorMapper.toS3(new BackendException(kind, "x")).text())
                .contains("storage behind this gateway");
    }

    @Test
    void boundOfTheGatewayAsksForAPause() {
        S3Exception error =
                BackendErrorMapper.toS3(new BackendException(BackendException.FailureKind.BUSY, "no connection"));

        assertThat(error.headers().first("retry-after")).contains("1");
    }

    /** The condition was the gateway's; a client that sent none must not get a 412. */
    @Test
    void changedVersionIsServiceUnavailable() {
        BackendException replaced = new BackendException(BackendException.FailureKind.VERSION_CHANGED, "x")
                .withS3Error(new BackendException.S3Error(412, "PreconditionFailed", "did not hold"));

        assertThat(BackendErrorMapper.toS3(replaced).status()).isEqualTo(503);
    }

    /** The backend waited for the gateway's request; a client that gets a 408 would look for a fault of its own. */
    @ParameterizedTest
    @CsvSource({"408, x", "408, RequestTimeout", "400, RequestTimeout"})
    void timeoutOfTheGatewaysRequestIsServiceUnavailable(int status, String code) {
        BackendException late = new BackendException(BackendException.FailureKind.UNAVAILABLE, "x")
                .withS3Error(new BackendException.S3Error(status, code, "x"));

        S3Exception error = BackendErrorMapper.toS3(late);

        assertThat(error.status()).isEqualTo(503);
        assertThat(error.code()).isEqualTo("ServiceUnavailable");
        assertThat(error.text()).contains("storage behind this gateway");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "VERSION_CHANGED")
    void itsOwnWordsAndFieldsPassThrough(BackendException.FailureKind kind) {
        S3Exception error = BackendErrorMapper.toS3(new BackendException(kind, "x")
                .withS3Error(new BackendException.S3Error(418, "Teapot", "short and stout"))
                .withHeaders(HeaderList.EMPTY.with("etag", "\"x\""))
                .withObjectSize(7));

        assertThat(error.status()).isEqualTo(418);
        assertThat(error.code()).isEqualTo("Teapot");
        assertThat(error.text()).isEqualTo("short and stout");
        assertThat(error.details()).containsEntry("ActualObjectSize", "7");
        assertThat(error.headers().first("etag")).contains("\"x\"");
    }

    @Test
    void ignoresS3ErrorWithSuccessStatus() {
        BackendException odd = new BackendException(BackendException.FailureKind.UNAVAILABLE, "x")
                .withS3Error(new BackendException.S3Error(200, "OK", ""));

        assertThat(BackendErrorMapper.toS3(odd).status()).isEqualTo(503);
    }
}
