package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Tests whose request is sent where some callers accept the running one, and others only a later one. */
class SingleFlightTest {
    private final SingleFlight<String, String> requests = new SingleFlight<>();
    private final List<String> sent = new ArrayList<>();
    private final List<MonoSink<String>> running = new ArrayList<>();
    private final List<String> results = new ArrayList<>();

    @Test
    void requestThatFollowsIsThatOfTheFirstWhoWaitsForIt() {
        join("remembered");
        joinNext("strict");
        joinNext("strict too");
        assertThat(sent).containsExactly("remembered");

        running.get(0).success("old");
        assertThat(sent).containsExactly("remembered", "strict");
        assertThat(results).containsExactly("remembered: old");

        running.get(1).success("new");
        assertThat(sent).containsExactly("remembered", "strict");
        assertThat(results).containsExactly("remembered: old", "strict: new", "strict too: new");
    }

    @Test
    void failureOfARunningRequestIsNotThatOfTheNext() {
        join("remembered");
        joinNext("strict");

        running.get(0).error(new IllegalStateException("gone"));
        running.get(1).success("new");

        assertThat(results).containsExactly("remembered: gone", "strict: new");
    }

    private void join(String caller) {
        follow(caller, requests.join("key", request(caller)).map(SingleFlight.Joined::value));
    }

    private void joinNext(String caller) {
        follow(caller, requests.joinNext("key", request(caller)));
    }

    private Supplier<Mono<String>> request(String caller) {
        return () -> {
            sent.add(caller);
            return Mono.create(running::add);
        };
    }

    private void follow(String caller, Mono<String> result) {
        result.subscribe(
                value -> results.add(caller + ": " + value),
                failure -> results.add(caller + ": " + failure.getMessage()));
    }
}
