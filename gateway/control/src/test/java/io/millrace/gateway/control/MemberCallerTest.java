package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.control.MemberCall.ExplainCall;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Whoever asks a member gets an answer, and reads it where that may take its time. */
class MemberCallerTest {
    private static final MemberCall CALL = MemberCall.of(new ExplainCall("bucket", "key", true));

    private final MemberCaller caller = new MemberCaller(new FakeMembers()
            .with("gw-0", call -> MemberResponse.of(HomeState.ofProblem("gw-0", "busy")))
            .withSilent("gw-2"));

    /** It comes on an event loop, which has the bytes of backends to deliver. */
    @Test
    void responsesAreReadOffTheEventLoop() {
        AtomicReference<String> thread = new AtomicReference<>("none");

        MemberResponse response = caller.ask("gw-0", CALL)
                .doOnNext(read -> thread.set(Thread.currentThread().getName()))
                .blockOptional()
                .orElseThrow();

        assertThat(Optional.ofNullable(response.home()).flatMap(HomeState::problem))
                .contains("busy");
        assertThat(thread.get()).startsWith("parallel-");
    }

    @Test
    void silentMemberHasAProblem() {
        assertThat(caller.ask("gw-2", CALL).blockOptional().orElseThrow().whyNot())
                .isEqualTo("silent");
        assertThat(caller.askAll(CALL).blockOptional().orElseThrow()).containsOnlyKeys("gw-0", "gw-2");
    }
}
