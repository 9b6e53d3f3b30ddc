package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the job of a schedule is parsed as the API parses it, but for numbers as texts. */
class ScheduledJobTest {
    @Test
    void numbersMayBeTexts() {
        String texts = "{'kind':'prefetch','from':{'bucket':'data'},'workers':'16','dryRun':'true'}";

        assertThat(ScheduledJob.parse(texts.replace('\'', '"')))
                .isEqualTo(ScheduledJob.parse(
                        texts.replace("'16'", "16").replace("'true'", "true").replace('\'', '"')))
                .hasToString("{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"dryRun\":true,\"workers\":16}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                               | kind
            null                                                             | is no job
            prefetch                                                         | is no job
            {"kind":"prefetch","from":{"bucket":"data"},"worker":1}          | worker is no field
            {"kind":"prefetch","from":{"bucket":"data"},"workers":"many"}    | workers is to be a whole number
            {"kind":"prefetch","from":{"bucket":"data"},"workers":0}         | workers
            {"kind":"prefetch","from":{"bucket":"data"},"clientToken":"mine"} | clientToken
            """)
    void jobThatTheApiWouldRefuseIsRefused(String json, String start) {
        assertThatThrownBy(() -> ScheduledJob.parse(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(start);
    }
}
