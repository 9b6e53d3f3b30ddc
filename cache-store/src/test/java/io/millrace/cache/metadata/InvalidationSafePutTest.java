package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class InvalidationSafePutTest {
    private final ConcurrentMap<String, Optional<String>> map =
            Caffeine.newBuilder().<String, Optional<String>>build().asMap();

    @Promise("I1")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void removalDuringValidationFindsTheKey(boolean over) throws InterruptedException {
        Thread remover = new Thread(() -> map.keySet().removeIf("key"::equals));
        BooleanSupplier counts = () -> {
            remover.start();
            Polling.until(
                    "it waits or has ended",
                    () -> remover.getState() == Thread.State.BLOCKED || remover.getState() == Thread.State.TERMINATED);
            return true;
        };

        if (over) {
            InvalidationSafePut.put(map, "key", "value", counts);
        } else {
            InvalidationSafePut.putIfAbsent(map, "key", "value", counts);
        }
        remover.join();

        assertThat(map).isEmpty();
    }

    @Test
    void putsOnlyValidValues() {
        assertThat(InvalidationSafePut.put(map, "key", "first", () -> false)).isFalse();
        InvalidationSafePut.putIfAbsent(map, "key", "second", () -> false);
        assertThat(map).isEmpty();

        assertThat(InvalidationSafePut.put(map, "key", "third", () -> true)).isTrue();
        InvalidationSafePut.putIfAbsent(map, "key", "fourth", () -> true);
        assertThat(InvalidationSafePut.put(map, "key", "fifth", () -> false)).isFalse();
        assertThat(map).containsOnly(Map.entry("key", Optional.of("third")));
        assertThat(InvalidationSafePut.put(map, "key", "sixth", () -> true)).isTrue();
        assertThat(map.get("key")).contains("sixth");
    }

    @Test
    void aReservationThatAnotherTookAwayIsMadeAgain() {
        ConcurrentMap<String, Optional<String>> taken = new ConcurrentHashMap<>() {
            private final AtomicInteger times = new AtomicInteger();

            @Override
            public Optional<String> putIfAbsent(String key, Optional<String> value) {
                Optional<String> before = super.putIfAbsent(key, value);
                if (times.incrementAndGet() < 3) {
                    remove(key);
                }
                return before;
            }
        };

        assertThat(InvalidationSafePut.put(taken, "key", "value", () -> true)).isTrue();

        assertThat(taken.get("key")).contains("value");
    }
}
