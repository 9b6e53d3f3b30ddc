package io.millrace.gateway.control;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketView;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The other members of a cluster without one: functions that answer calls, for tests. */
final class FakeMembers implements SharedCacheMembers {
    private final Map<String, Function<MemberCall, Mono<MemberResponse>>> answers = new TreeMap<>();

    /** Adds a member, or lets one answer otherwise. */
    FakeMembers with(String member, Function<MemberCall, MemberResponse> answer) {
        return withLater(member, call -> Mono.just(answer.apply(call)));
    }

    /** Adds a member that takes its time. */
    FakeMembers withLater(String member, Function<MemberCall, Mono<MemberResponse>> answer) {
        answers.put(member, answer);
        return this;
    }

    /** Adds a member that does not answer. */
    FakeMembers withSilent(String member) {
        return withLater(member, call -> Mono.error(new IllegalStateException("silent")));
    }

    @Override
    public String self() {
        return "gw-1";
    }

    @Override
    public List<String> others() {
        return List.copyOf(answers.keySet());
    }

    @Override
    public Optional<String> home(BucketView bucket, ObjectRef object) {
        return Optional.empty();
    }

    @Override
    public Mono<byte[]> call(String member, byte[] call) {
        Function<MemberCall, Mono<MemberResponse>> answer = answers.get(member);
        if (answer == null) {
            return Mono.error(new IOException(member + " is not on the list of members"));
        }
        return Mono.defer(() -> answer.apply(ApiJsonMapper.MAPPER.readValue(call, MemberCall.class)))
                .map(ApiJsonMapper.MAPPER::writeValueAsBytes);
    }
}
