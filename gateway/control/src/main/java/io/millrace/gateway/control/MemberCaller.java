package io.millrace.gateway.control;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;

/** Asks the other members for control calls. One that does not answer is an answer too, which says why. */
record MemberCaller(SharedCacheMembers members) {
    private static final Logger log = LoggerFactory.getLogger(MemberCaller.class);

    /** A later release may answer more. */
    private static final ObjectReader RESPONSES = ApiJsonMapper.MAPPER
            .readerFor(MemberResponse.class)
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** Asks one member; never fails. */
    Mono<MemberResponse> ask(String member, MemberCall call) {
        return Mono.defer(() -> members.call(member, ApiJsonMapper.MAPPER.writeValueAsBytes(call)))
                // May be megabytes, while the event loop has the bytes of backends to deliver.
                .publishOn(Schedulers.parallel())
                .map(response -> RESPONSES.<MemberResponse>readValue(response))
                .onErrorResume(failure -> {
                    log.debug("The member {} does not do a call", member, failure);
                    return Mono.just(MemberResponse.ofProblem(String.valueOf(failure.getMessage())));
                });
    }

    /** Asks all at once, and returns the answers by the members' names, in order; never fails. */
    Mono<Map<String, MemberResponse>> askAll(MemberCall call) {
        return Flux.fromIterable(members.others())
                .flatMapSequential(member -> ask(member, call).map(response -> Map.entry(member, response)))
                .collect(LinkedHashMap::new, (all, one) -> all.put(one.getKey(), one.getValue()));
    }
}
