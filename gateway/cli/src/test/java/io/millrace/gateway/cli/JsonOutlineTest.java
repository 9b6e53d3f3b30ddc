package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the formatting of JSON as an outline. */
class JsonOutlineTest {
    @Test
    void moneyHasNoMoreDigitsThanItMeans() {
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":-0.058982849121093996}")))
                .isEqualTo("money saved  -0.059");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":0.0}")))
                .isEqualTo("money saved  0.0");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":0.0000012}")))
                .isEqualTo("money saved  0.0000012");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":-12345678.5}")))
                .isEqualTo("money saved  -12345678.50");
    }

    @Test
    void numbersHaveTheUnitOfTheirName() {
        assertThat(JsonOutline.text(JsonCodec.readObject("""
                        {"bytesPerSecond":18022429.68,"objectsPerSecond":12.35,"percent":49.3,"secondsLeft":63,
                         "uptimeSeconds":90061,"freshSeconds":-7,"activeMillis":250123,"meanMicros":4250,"micros":310700,
                         "records":1234567,"s3Port":19080,"waiting":65536}""")).lines())
                .containsExactly(
                        "rate                   17 MiB/s",
                        "objects per second     12.35",
                        "percent                49%",
                        "time left              1m03s",
                        "uptime                 1d1h",
                        "fresh for              -7s",
                        "active                 4m10s",
                        "mean                   4.2 ms",
                        "took                   310 ms",
                        "verified records       1,234,567",
                        "S3 port                19080",
                        "waiting to be written  64 KiB");
    }

    @Test
    void namesOfFieldsAreWords() {
        assertThat(JsonOutline.text(JsonCodec.readObject(
                                "{\"mustRevalidate\":true,\"scrub\":{\"underWay\":false},\"eTag\":\"\\\"e\\\"\"}"))
                        .lines())
                .containsExactly("must revalidate  yes", "scrub", "  under way  no", "ETag             \"e\"");
    }

    @Test
    void numberThatSaysNothingIsLeftOut() {
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"status\":0,\"slowness\":0.0,\"bad\":0}")))
                .isEqualTo("corrupt records  0");
    }

    @Test
    void timesHaveNoFractionsOfSeconds() {
        assertThat(JsonOutline.text(JsonCodec.readObject(
                        "{\"at\":\"2026-11-27T17:41:11.544157068Z\",\"key\":\"x 2026-11-27T17:41:11.5Z\"}")))
                .isEqualTo("at   2026-11-27T17:41:11Z" + System.lineSeparator() + "key  x 2026-11-27T17:41:11.5Z");
    }

    @Test
    void bytesThatWereLostHaveAUnitToo() {
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"savedBytes\":-654311424}")))
                .isEqualTo("saved bytes  -624 MiB");
    }
}
