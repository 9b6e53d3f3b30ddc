package io.millrace.gateway.control.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.Principal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

class ConcurrencyLimiterTest {
    private final ConcurrencyLimiter streams = new ConcurrencyLimiter("streams", 2, 3);

    @Test
    void nobodyHasMoreThanTheirShareAndAllTogetherNoMoreThanThereAre() {
        List<Disposable> open = new ArrayList<>();
        open.add(watch("alice"));
        open.add(watch("alice"));
        assertThatThrownBy(() -> watch("alice")).hasMessageContaining("You have 2 streams");
        open.add(watch("bob"));
        assertThatThrownBy(() -> watch("carol")).hasMessageContaining("There are 3 streams");

        open.get(0).dispose();

        assertThat(watch("alice").isDisposed()).isFalse();
        assertThatThrownBy(() -> watch("carol")).isInstanceOf(ApiException.class);
    }

    @Test
    void aStreamThatEndsOrFailsIsOpenNoMore() {
        for (int i = 0; i < 10; i++) {
            assertThat(streams.limit(new Principal("alice", List.of()), Flux.just(1))
                            .collectList()
                            .block())
                    .containsExactly(1);
            assertThatThrownBy(() -> streams.limit(
                                    new Principal("alice", List.of()), Flux.error(new IllegalStateException("gone")))
                            .blockLast())
                    .hasMessage("gone");
        }
    }

    @Test
    void workThatGoesOnIsCountedThoughItsCallerHasLeft() {
        Sinks.Empty<Void> end = Sinks.empty();
        Principal alice = new Principal("alice", List.of());
        for (int i = 0; i < 2; i++) {
            streams.limitDetached(alice, end.asMono()).subscribe().dispose();
        }
        assertThatThrownBy(() -> watch("alice")).hasMessageContaining("You have 2 streams");

        end.tryEmitEmpty();

        assertThat(watch("alice").isDisposed()).isFalse();
    }

    /** A stream without end; a refusal is thrown. */
    private Disposable watch(String who) {
        List<Throwable> refused = new ArrayList<>();
        Disposable open =
                streams.limit(new Principal(who, List.of()), Flux.never()).subscribe(next -> {}, refused::add);
        if (!refused.isEmpty()) {
            throw (RuntimeException) refused.get(0);
        }
        return open;
    }
}
