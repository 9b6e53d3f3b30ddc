package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.monitor.MeterName;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The services of transforms share what they may take of the heap, and outlive reloads. */
@Timeout(60)
class TransformsTest {
    private static final long MIB = 1 << 20;

    private static TransformSettings settings(String maxSize) {
        return new TransformSettings(
                WebUrl.parse("http://127.0.0.1:8100/"),
                TransformSettings.Method.PUT,
                "",
                "1",
                Duration.ofSeconds(30),
                16,
                DataSize.parse(maxSize),
                BackendTlsSettings.DEFAULTS);
    }

    private static TransformService service(Map<String, Transform> transforms, String name) {
        return Objects.requireNonNull(transforms.get(name)).service();
    }

    private static Transforms transforms(MeterRegistry meters) {
        return new Transforms(meters, 192 * MIB, System::nanoTime);
    }

    @Test
    void resultsOfAllHaveTheirShareOfTheHeap() {
        Transforms services = transforms(new SimpleMeterRegistry());

        Map<String, Transform> transforms =
                services.of(Map.of("small", settings("4MiB"), "large", settings("16MiB"), "huge", settings("64MiB")));

        assertThat(service(transforms, "small").mostCalls()).isEqualTo(16);
        assertThat(service(transforms, "large").mostCalls()).isEqualTo(4);
        assertThat(service(transforms, "huge").mostCalls()).isEqualTo(1);
    }

    @Test
    void eachIsWatchedOnce() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Transforms services = transforms(meters);
        try {
            for (String size : List.of("4MiB", "8MiB")) {
                services.of(Map.of("small", settings(size)));
            }

            assertThat(meters.find(MeterName.TRANSFORM_FAILING.wireName()).gauges())
                    .hasSize(1)
                    .allSatisfy(gauge -> {
                        assertThat(gauge.getId().getTag("transform")).isEqualTo("small");
                        assertThat(gauge.value()).isZero();
                    });
        } finally {
            // The meter holds it weakly.
            Reference.reachabilityFence(services);
        }
    }

    /** Who corrects the url has mended it. */
    @Test
    void successAfterAReloadEndsTheTroubleBefore() {
        AtomicLong now = new AtomicLong();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Transforms services = new Transforms(meters, 192 * MIB, now::get);
        try {
            TransformHealth before = service(services.of(Map.of("small", settings("4MiB"))), "small")
                    .health();
            before.failed();
            now.addAndGet(TransformHealth.LEAST.toNanos());
            before.failed();
            Gauge failing = meters.get(MeterName.TRANSFORM_FAILING.wireName()).gauge();
            assertThat(failing.value()).isOne();

            TransformService after = service(services.of(Map.of("small", settings("8MiB"))), "small");
            assertThat(failing.value()).as("nothing has succeeded").isOne();
            after.health().succeeded();

            assertThat(failing.value()).isZero();
        } finally {
            // The meter holds it weakly.
            Reference.reachabilityFence(services);
        }
    }

    @Test
    void serviceOutlivesAReloadThatIsNotAboutIt() {
        Transforms services = transforms(new SimpleMeterRegistry());
        TransformService before = service(services.of(Map.of("small", settings("4MiB"))), "small");

        Map<String, Transform> after = services.of(Map.of("small", settings("4MiB"), "other", settings("4MiB")));

        assertThat(service(after, "small")).isSameAs(before);
        assertThat(service(after, "other")).isNotSameAs(before);
    }
}
