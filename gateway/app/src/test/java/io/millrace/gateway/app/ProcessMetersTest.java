package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests that the process is described by the names that Prometheus' own clients use. */
class ProcessMetersTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void processIsDescribedByTheUsualNames() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        new ProcessMeters().bindTo(registry);

        String text = registry.scrape();
        assertThat(value(text, "process_resident_memory_bytes")).isBetween(10e6, 64e9);
        assertThat(value(text, "process_start_time_seconds"))
                .isBetween(
                        Instant.now().getEpochSecond() - 86_400.0, Instant.now().getEpochSecond() + 1.0);
        assertThat(text)
                .containsPattern("millrace_build_info\\{java=\"%s\",version=\"[^\"]+\"} 1(\\.0)?\n"
                        .formatted(Pattern.quote(System.getProperty("java.version"))));
    }

    private static double value(String text, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + " (.*)$").matcher(text);
        assertThat(line.find()).as(text).isTrue();
        return Double.parseDouble(line.group(1));
    }
}
