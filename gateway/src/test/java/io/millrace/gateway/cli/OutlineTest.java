package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is told of the gateway is for people. */
class OutlineTest {
    @Test
    void moneyHasNoMoreDigitsThanItMeans() {
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":-0.058982849121093996}")))
                .isEqualTo("moneySaved  -0.059");
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":0.0}"))).isEqualTo("moneySaved  0.0");
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":0.0000012}"))).isEqualTo("moneySaved  0.0000012");
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":-12345678.5}")))
                .isEqualTo("moneySaved  -12345678.50");
    }

    @Test
    void bytesThatWereLostHaveAUnitToo() {
        assertThat(Outline.text(Json.readObject("{\"savedBytes\":-654311424}"))).isEqualTo("savedBytes  -624 MiB");
    }
}
