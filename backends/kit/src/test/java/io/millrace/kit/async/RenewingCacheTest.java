package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.kit.async.RenewingCache.Lifetime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Tests that a value is fetched once for all, renewed before it expires, and kept while a renewal fails. */
class RenewingCacheTest {
    private static final Instant START = Instant.parse("2026-11-24T10:00:00Z");
    private static final Duration LIFE = Duration.ofHours(1);
    private static final Duration RENEWAL = Duration.ofMinutes(5);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

    private record Token(String value, Instant expiry) {}

    private Instant now = START;
    private final List<Throwable> failedRenewals = new ArrayList<>();
    private final List<MonoSink<Token>> fetches = new ArrayList<>();
    private final RenewingCache<Token> cache = new RenewingCache<>(
            Mono.create(fetches::add),
            (token, fetched) -> Lifetime.renewedBeforeEnd(fetched, token.expiry(), RENEWAL),
            RETRY_DELAY,
            failedRenewals::add,
            () -> now);

    @Test
    void concurrentRequestsShareOneFetch() {
        AtomicInteger served = new AtomicInteger();
        IntStream.range(0, 50).forEach(i -> cache.get().subscribe(token -> served.incrementAndGet()));

        assertThat(fetches).hasSize(1);
        complete(0, "first");

        assertThat(served).hasValue(50);
        assertThat(cache.get().block()).isEqualTo(token("first", START));
        assertThat(fetches).hasSize(1);
    }

    @Test
    void tokenIsRenewedInTheBackgroundBeforeItExpires() {
        cache.get().subscribe();
        complete(0, "first");
        now = START.plus(LIFE).minus(RENEWAL);

        assertThat(cache.get().block()).isEqualTo(token("first", START));
        assertThat(fetches).hasSize(2);
        complete(1, "second");

        assertThat(cache.get().block()).isEqualTo(token("second", now));
        assertThat(fetches).hasSize(2);
    }

    @Test
    void failedRenewalKeepsTheTokenAndIsRetriedLater() {
        cache.get().subscribe();
        complete(0, "first");
        now = START.plus(LIFE).minus(RENEWAL);
        cache.get().block();
        fetches.get(1).error(new IllegalStateException("down"));

        assertThat(cache.get().block()).isEqualTo(token("first", START));
        assertThat(failedRenewals).hasSize(1);
        assertThat(fetches).hasSize(2);
        now = now.plus(RETRY_DELAY);
        cache.get().block();

        assertThat(fetches).hasSize(3);
    }

    @Test
    void expiredTokenIsNeverServed() {
        cache.get().subscribe();
        complete(0, "first");
        now = START.plus(LIFE);
        List<Token> served = new ArrayList<>();
        cache.get().subscribe(served::add);

        assertThat(served).isEmpty();
        complete(1, "second");
        assertThat(served).containsExactly(token("second", now));
    }

    @Test
    void failedFetchFailsWaitingCallersAndIsRetried() {
        List<Throwable> failures = new ArrayList<>();
        cache.get().subscribe(token -> {}, failures::add);
        cache.get().subscribe(token -> {}, failures::add);
        fetches.get(0).error(new IllegalStateException("down"));

        assertThat(failures).hasSize(2);
        cache.get().subscribe();
        assertThat(fetches).hasSize(2);
    }

    @Test
    void rejectedTokenIsReplaced() {
        cache.get().subscribe();
        complete(0, "first");

        cache.invalidate(token("other", START));
        assertThat(cache.get().block()).isEqualTo(token("first", START));
        cache.invalidate(token("first", START));
        cache.get().subscribe();

        assertThat(fetches).hasSize(2);
    }

    private void complete(int fetch, String value) {
        fetches.get(fetch).success(token(value, now));
    }

    private static Token token(String value, Instant issued) {
        return new Token(value, issued.plus(LIFE));
    }
}
