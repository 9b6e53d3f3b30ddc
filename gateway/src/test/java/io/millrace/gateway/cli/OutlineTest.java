package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is told of the gateway is for people. */
class OutlineTest {
    @Test
    void moneyIsWrittenInFull() {
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":0.0000012}"))).isEqualTo("moneySaved  0.0000012");
        assertThat(Outline.text(Json.readObject("{\"moneySaved\":-12345678.5}")))
                .isEqualTo("moneySaved  -12345678.5");
    }
}
