package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.Secret;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that residency steps are added up with progress. */
class ResidencyReaderTest {
    private static final SigningCredentials WHO = new SigningCredentials("A", Secret.of("S"), "the test");
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final AtomicInteger refusals = new AtomicInteger();
    private final StringWriter messages = new StringWriter();
    private final List<String> requested = new ArrayList<>();

    @Test
    void stepsAreSummedUpAndTheirProgressIsShown() {
        JsonObject all = reading(true).readAll(Map.of("bucket", "data"));

        assertThat(requested).containsExactly("", "3:0", "7:0");
        assertThat(all.number("objects")).isEqualTo(6);
        assertThat(all.number("cachedBytes")).isEqualTo(60);
        assertThat(all.fields()).doesNotContainKeys("next", "read");
        assertThat(messages.toString()).contains("30% scanned, 1 objects").contains("70% scanned, 3 objects");
    }

    @Test
    void drawsNoProgressWithoutATerminal() {
        reading(false).readAll(Map.of("bucket", "data"));

        assertThat(messages.toString()).isEmpty();
    }

    @Test
    void retriesAThrottledStep() {
        refusals.set(3);

        JsonObject all = reading(false).readAll(Map.of("bucket", "data"));

        assertThat(requested).containsExactly("", "3:0", "7:0");
        assertThat(all.number("objects")).isEqualTo(6);
        assertThat(refusals).hasValue(0);
    }

    @Test
    void repeatedRefusalsNameTheReason() {
        refusals.set(Integer.MAX_VALUE);

        assertThatThrownBy(() -> reading(false).readAll(Map.of("bucket", "data")))
                .hasMessage("busy");
        assertThat(refusals.get()).isGreaterThan(Integer.MAX_VALUE - 1000);
    }

    @Test
    void permanentErrorEndsTheRequest() {
        assertThatThrownBy(() -> new ResidencyReader(
                                query -> {
                                    refusals.incrementAndGet();
                                    throw ApiErrorTranslator.of(501, JsonObject.EMPTY, WHO, Map.of());
                                },
                                PAUSE,
                                false,
                                new PrintWriter(messages))
                        .readAll(Map.of()))
                .isInstanceOf(CliException.class);
        assertThat(refusals).hasValue(1);
    }

    private ResidencyReader reading(boolean terminal) {
        return new ResidencyReader(this::answer, PAUSE, terminal, new PrintWriter(messages));
    }

    private JsonObject answer(Map<String, String> query) {
        if (refusals.get() > 0) {
            refusals.decrementAndGet();
            throw ApiErrorTranslator.of(429, new JsonObject(Map.of("detail", "busy")), WHO, Map.of());
        }
        requested.add(String.valueOf(query.get("from")));
        long step = requested.size();
        Map<String, Object> last = Map.of("objects", step, "bytes", 10 * step, "cachedBytes", 10 * step, "read", 1.0);
        return switch ((int) step) {
            case 1 ->
                new JsonObject(Map.of("objects", 1L, "bytes", 10L, "cachedBytes", 10L, "read", 0.3, "next", "3:0"));
            case 2 ->
                new JsonObject(Map.of("objects", 2L, "bytes", 20L, "cachedBytes", 20L, "read", 0.7, "next", "7:0"));
            default -> new JsonObject(Map.copyOf(last));
        };
    }
}
