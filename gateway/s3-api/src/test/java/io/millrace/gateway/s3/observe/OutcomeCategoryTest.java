package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verifies outcomes, on which alerts are based: a client's error must not count as the gateway's. */
class OutcomeCategoryTest {
    @ParameterizedTest
    @CsvSource({
        "200,OK",
        "206,OK",
        "304,NOT_MODIFIED",
        "400,CLIENT_ERROR",
        "401,DENIED",
        "403,DENIED",
        "404,CLIENT_ERROR",
        "416,CLIENT_ERROR",
        "499,CLIENT_ERROR",
        "500,SERVER_ERROR",
        "501,SERVER_ERROR",
        "503,SERVER_ERROR"
    })
    void eachStatusHasOne(int status, OutcomeCategory outcome) {
        assertThat(OutcomeCategory.ofStatus(status)).isEqualTo(outcome);
    }
}
