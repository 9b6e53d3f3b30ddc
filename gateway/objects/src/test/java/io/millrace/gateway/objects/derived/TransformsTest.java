package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.config.DataSize;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
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

    @Test
    void resultsOfAllHaveTheirShareOfTheHeap() {
        Transforms services = new Transforms(new SimpleMeterRegistry(), 192 * MIB);

        Map<String, Transform> transforms =
                services.of(Map.of("small", settings("4MiB"), "large", settings("16MiB"), "huge", settings("64MiB")));

        assertThat(service(transforms, "small").mostCalls()).isEqualTo(16);
        assertThat(service(transforms, "large").mostCalls()).isEqualTo(4);
        assertThat(service(transforms, "huge").mostCalls()).isEqualTo(1);
    }

    @Test
    void serviceOutlivesAReloadThatIsNotAboutIt() {
        Transforms services = new Transforms(new SimpleMeterRegistry(), 192 * MIB);
        TransformService before = service(services.of(Map.of("small", settings("4MiB"))), "small");

        Map<String, Transform> after = services.of(Map.of("small", settings("4MiB"), "other", settings("4MiB")));

        assertThat(service(after, "small")).isSameAs(before);
        assertThat(service(after, "other")).isNotSameAs(before);
    }
}
