package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ConcurrencyLimiterTest {
    private final ConcurrencyLimiter requests = new ConcurrencyLimiter("requests", 2, 3);

    @Test
    void limitsOperationsPerIdentityAndInTotal() {
        List<Disposable> open = new ArrayList<>();
        open.add(watch("alice"));
        open.add(watch("alice"));
        assertThatThrownBy(() -> watch("alice")).hasMessageContaining("You have 2 requests");
        open.add(watch("bob"));
        assertThatThrownBy(() -> watch("carol")).hasMessageContaining("There are 3 requests");

        open.get(0).dispose();

        assertThat(watch("alice").isDisposed()).isFalse();
        assertThatThrownBy(() -> watch("carol")).isInstanceOf(ApiException.class);
    }

    @Test
    void sessionsOfOneIdentityCountTogether() {
        for (String name : List.of("first", "second")) {
            requests.limit(session(name), Mono.never()).subscribe();
        }

        assertThatThrownBy(() -> requests.limit(session("third"), Mono.never()).block())
                .hasMessageContaining("You have 2 requests");
    }

    private static Principal session(String name) {
        return Principal.ofSession("reader", name, Map.of(), List.of(), List.of())
                .assumedBy("alice");
    }

    @Test
    void endedAndFailedOperationsAreNotCounted() {
        for (int i = 0; i < 10; i++) {
            assertThat(requests.limit(new Principal("alice", List.of()), Mono.just(1))
                            .block())
                    .isEqualTo(1);
            assertThatThrownBy(() -> requests.limit(
                                    new Principal("alice", List.of()), Mono.error(new IllegalStateException("gone")))
                            .block())
                    .hasMessage("gone");
        }
    }

    @Test
    void detachedWorkCountsAfterItsCallerLeft() {
        Sinks.Empty<Void> end = Sinks.empty();
        Principal alice = new Principal("alice", List.of());
        for (int i = 0; i < 2; i++) {
            requests.limitDetached(alice, end.asMono()).subscribe().dispose();
        }
        assertThatThrownBy(() -> watch("alice")).hasMessageContaining("You have 2 requests");

        end.tryEmitEmpty();

        assertThat(watch("alice").isDisposed()).isFalse();
    }

    /** A request without end; a refusal is thrown. */
    private Disposable watch(String who) {
        List<Throwable> refused = new ArrayList<>();
        Disposable open =
                requests.limit(new Principal(who, List.of()), Mono.never()).subscribe(next -> {}, refused::add);
        if (!refused.isEmpty()) {
            throw (RuntimeException) refused.get(0);
        }
        return open;
    }
}
