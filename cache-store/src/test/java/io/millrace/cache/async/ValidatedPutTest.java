package io.millrace.cache.async;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.cache.ThreadWaits;
import java.time.Duration;
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

@Timeout(30)
class ValidatedPutTest {
    private final ConcurrentMap<String, Optional<String>> map =
            Caffeine.newBuilder().<String, Optional<String>>build().asMap();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoGoesOverTheKeysWhileItIsLookedWhetherAValueCountsFindsItsKey(boolean over) throws InterruptedException {
        Thread remover = new Thread(() -> map.keySet().removeIf("key"::equals));
        BooleanSupplier counts = () -> {
            remover.start();
            ThreadWaits.until(
                    Duration.ofSeconds(10),
                    () -> remover.getState() == Thread.State.BLOCKED || remover.getState() == Thread.State.TERMINATED);
            return true;
        };

        if (over) {
            ValidatedPut.put(map, "key", "value", counts);
        } else {
            ValidatedPut.putIfAbsent(map, "key", "value", counts);
        }
        remover.join();

        assertThat(map).isEmpty();
    }

    @Test
    void whatCountsIsThereAndWhatDoesNotLeavesNoTrace() {
        assertThat(ValidatedPut.put(map, "key", "first", () -> false)).isFalse();
        ValidatedPut.putIfAbsent(map, "key", "second", () -> false);
        assertThat(map).isEmpty();

        assertThat(ValidatedPut.put(map, "key", "third", () -> true)).isTrue();
        ValidatedPut.putIfAbsent(map, "key", "fourth", () -> true);
        assertThat(ValidatedPut.put(map, "key", "fifth", () -> false)).isFalse();
        assertThat(map).containsOnly(Map.entry("key", Optional.of("third")));
        assertThat(ValidatedPut.put(map, "key", "sixth", () -> true)).isTrue();
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

        assertThat(ValidatedPut.put(taken, "key", "value", () -> true)).isTrue();

        assertThat(taken.get("key")).contains("value");
    }
}
