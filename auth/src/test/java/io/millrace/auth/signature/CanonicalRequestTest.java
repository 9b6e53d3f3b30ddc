package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.UriEncoding;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the canonical request character by character: one wrong character locks out all clients that send it. */
class CanonicalRequestTest {
    @Test
    void partsStandInTheirOrder() {
        CanonicalRequest request = CanonicalRequest.of("GET", "/b/ä k")
                .parameter("b", "2")
                .parameter("a b", "/")
                .parameter("b", "1")
                .parameter("flag", "")
                .header("host", List.of("h:80"))
                .header("x-amz-date", List.of("d"))
                .build("HASH");

        assertThat(request.text()).isEqualTo("""
                GET
                /b/%C3%A4%20k
                a%20b=%2F&b=1&b=2&flag=
                host:h:80
                x-amz-date:d

                host;x-amz-date
                HASH""");
    }

    @Test
    void longHeadersAreWholeAndRepeatedOnesAreJoined() {
        String longest = "a".repeat(1000);

        assertThat(CanonicalRequest.of("GET", "/")
                        .header("host", List.of("h"))
                        .header("x", List.of(longest, " b ", "c"))
                        .build("HASH")
                        .text())
                .isEqualTo("GET\n/\n\nhost:h\nx:" + longest + ",b,c\n\nhost;x\nHASH");
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "'   ', ''",
        "a, a",
        "' a ', a",
        "'a  b', a b",
        "'a \t\r\n b', a b",
        "'\ta\u000b\fb ', a b",
        "'\"a   b\"', '\"a b\"'",
        "'\u00a0a', '\u00a0a'"
    })
    void whiteSpaceInHeadersIsCollapsed(String value, String expected) {
        StringBuilder text = new StringBuilder("x:");

        CanonicalRequest.appendCollapsed(text, value);

        assertThat(text).hasToString("x:" + expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/, /, %2F",
        "'', '', ''",
        "a-._~Z9, a-._~Z9, a-._~Z9",
        "a/../b//, a/../b//, a%2F..%2Fb%2F%2F",
        "%41, %2541, %2541",
        "a+b c, a%2Bb%20c, a%2Bb%20c",
        "'!*''()', %21%2A%27%28%29, %21%2A%27%28%29",
        "é€😀, %C3%A9%E2%82%AC%F0%9F%98%80, %C3%A9%E2%82%AC%F0%9F%98%80"
    })
    void encodesAllButUnreservedCharactersOnce(String text, String asPath, String asQuery) {
        assertThat(UriEncoding.ofPath(text)).isEqualTo(asPath);
        assertThat(UriEncoding.ofQuery(text)).isEqualTo(asQuery);
    }

    @ParameterizedTest
    @CsvSource({
        "20130524T000000Z, 2013-05-24T00:00:00Z",
        "20240229T235959Z, 2024-02-29T23:59:59Z",
        "20230229T000000Z,",
        "20130524T240000Z,",
        "20130524T000060Z,",
        "20130524t000000Z,",
        "20130524T000000z,",
        "20130524T00000Z,",
        "20130524T0000000Z,",
        "2013052４T000000Z,",
        "-0130524T000000Z,"
    })
    void onlyTheBasicFormIsATime(String text, String expected) {
        assertThat(AmzTimestamp.parse(text).map(Object::toString).orElse(null)).isEqualTo(expected);
        if (expected != null) {
            assertThat(AmzTimestamp.format(AmzTimestamp.parse(text).orElseThrow()))
                    .isEqualTo(text);
        }
    }
}
