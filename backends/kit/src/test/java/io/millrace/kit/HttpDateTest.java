package io.millrace.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies the parsing of dates; a misread date changes a condition. */
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
    void parsesAllFormsOfHttpAndS3(String text) {
        assertThat(HttpDate.parse(text)).contains(EXAMPLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "yesterday",
                "Mon, 06 Nov 1994 08:49:37 GMT",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "Sun, 0x Nov 1994 08:49:37 GMT",
                "\"x\""
            })
    void anythingElseIsNone(String text) {
        assertThat(HttpDate.parse(text)).isEmpty();
    }

    @Test
    void formatsTheExampleOfTheRfc() {
        assertThat(HttpDate.format(EXAMPLE.plusMillis(999))).isEqualTo("Sun, 06 Nov 1994 08:49:37 GMT");
    }

    @Test
    void anyMomentIsWrittenAndReadAsTheJdkDoes() {
        DateTimeFormatter jdk = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            Instant moment = Instant.ofEpochSecond(random.nextLong(-62_135_596_800L, 300_000_000_000L));
            assertThat(HttpDate.format(moment)).isEqualTo(jdk.format(moment));
            assertThat(HttpDate.parse(jdk.format(moment))).contains(moment);
        }
    }
}
