package io.millrace.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A date that is misread changes what a condition says. */
class HttpDateTest {
    private static final Instant EXAMPLE = Instant.parse("1994-11-06T08:49:37Z");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sun, 06 Nov 1994 08:49:37 GMT",
                " Sun, 06 Nov 1994 08:49:37 GMT ",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994",
                "Sun, 6 Nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 09:49:37 +0100",
                "1994-11-06T08:49:37Z"
            })
    void allFormsOfHttpAndS3NameTheSameMoment(String text) {
        assertThat(HttpDate.parse(text)).contains(EXAMPLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0", "yesterday", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "\"x\""})
    void anythingElseIsNone(String text) {
        assertThat(HttpDate.parse(text)).isEmpty();
    }

    @Test
    void whatIsWrittenIsRead() {
        assertThat(HttpDate.format(EXAMPLE.plusMillis(999))).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
