package io.millrace.gateway.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the formatting of JSON as an outline. */
class JsonOutlineTest {
    @Test
    void moneyHasNoMoreDigitsThanItMeans() {
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":-0.058982849121093996}")))
                .isEqualTo("moneySaved  -0.059");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":0.0}")))
                .isEqualTo("moneySaved  0.0");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":0.0000012}")))
                .isEqualTo("moneySaved  0.0000012");
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"moneySaved\":-12345678.5}")))
                .isEqualTo("moneySaved  -12345678.50");
    }

    @Test
    void bytesThatWereLostHaveAUnitToo() {
        assertThat(JsonOutline.text(JsonCodec.readObject("{\"savedBytes\":-654311424}")))
                .isEqualTo("savedBytes  -624 MiB");
    }
}
