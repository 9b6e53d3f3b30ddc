package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.JobPin;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What jobs of other members pin is pinned here while they do, also while their member does not answer. */
class MemberPinsTest {
    private final FakeMembers members = new FakeMembers();
    private final List<List<String>> pinned = new ArrayList<>();
    private final List<Set<String>> known = new ArrayList<>();
    private final MemberPins pins = new MemberPins(new MemberCaller(members), now -> {
        pinned.add(now.stream()
                .filter(pin -> pin.request().isPresent())
                .map(JobPin::id)
                .toList());
        return Mono.empty();
    });

    @Test
    void requestsAreFetchedOnceAndAFewAtATime() {
        members.with("gw-0", call -> answer(call, "a", "b", "c"));

        pins.round().block();
        pins.round().block();

        assertThat(pinned).containsExactly(List.of("a", "b", "c"));
        assertThat(known).containsExactly(Set.of(), Set.of("a"), Set.of("a", "b"), Set.of("a", "b", "c"));
    }

    @Test
    void pinsEndWithTheirJobs() {
        members.with("gw-0", call -> answer(call, "a", "b"));
        pins.round().block();

        members.with("gw-0", call -> answer(call, "b"));
        pins.round().block();
        members.with("gw-0", call -> answer(call));
        pins.round().block();

        assertThat(pinned).containsExactly(List.of("a", "b"), List.of("b"), List.of());
    }

    @Test
    void pinsOfASilentMemberHoldOn() {
        members.with("gw-0", call -> answer(call, "a")).with("gw-2", call -> answer(call, "b"));
        pins.round().block();

        members.withSilent("gw-0").with("gw-2", call -> answer(call));
        pins.round().block();

        assertThat(pinned).containsExactly(List.of("a", "b"), List.of("a"));
    }

    @Test
    void listsOfKeysBeyondTheBoundAreNotPinned() {
        String key = "k".repeat(1 << 16);
        members.with(
                "gw-0",
                call -> new MemberResponse(
                        null,
                        null,
                        null,
                        null,
                        List.of(
                                pin("a", List.of(key)),
                                pin("b", Collections.nCopies(256, key)),
                                pin("c", List.of(key)))));

        pins.round().block();
        pins.round().block();

        assertThat(pinned).containsExactly(List.of("a", "c"));
    }

    /** Tells one request at a time. */
    private MemberResponse answer(MemberCall call, String... jobs) {
        Set<String> asked = Optional.ofNullable(call.pins()).orElseThrow().known();
        known.add(asked);
        List<JobPin> told = new ArrayList<>();
        boolean isTold = false;
        for (String job : jobs) {
            boolean isNew = !isTold && !asked.contains(job);
            isTold |= isNew;
            told.add(isNew ? pin(job, List.of("key")) : new JobPin(job, Instant.EPOCH, Optional.empty()));
        }
        return MemberResponse.of(told);
    }

    private static JobPin pin(String job, List<String> keys) {
        RawJobRequest request =
                ApiJobRequests.of("{'kind': 'prefetch', 'pin': '7d', 'from': {'bucket': 'data', 'keys': ['%s']}}"
                        .formatted(String.join("','", keys)));
        return new JobPin(job, Instant.EPOCH, Optional.of(request));
    }
}
