package io.millrace.gateway.control;

import io.millrace.gateway.control.MemberCall.PinsCall;
import io.millrace.gateway.jobs.JobPin;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The pins of the other members' jobs, which hold here too: each is asked every few seconds which jobs pin objects, and
 * for the requests of those that are not known. What a member that does not answer has said holds on until its end.
 */
final class MemberPins implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MemberPins.class);

    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** Of the requests of all members; many times those of usual pins. */
    private static final long MOST_BYTES = 16L << 20;

    private final MemberCaller members;
    private final Function<List<JobPin>, Mono<Void>> pinning;
    private final Disposable.Swap rounds = Disposables.swap();

    /** By member and the id of the job; without a request if it was too large. Used by one round at a time. */
    private final Map<String, Map<String, JobPin>> known = new HashMap<>();

    /** What was pinned last. */
    private List<JobPin> pinned = List.of();

    /** @param pinning pins what these jobs pin here, instead of what was pinned for others before */
    MemberPins(MemberCaller members, Function<List<JobPin>, Mono<Void>> pinning) {
        this.members = members;
        this.pinning = pinning;
    }

    /** Asks again and again, in a cluster. */
    void start() {
        if (members.members() != SharedCacheMembers.NONE) {
            rounds.update(Flux.interval(PAUSE, PAUSE)
                    .onBackpressureDrop()
                    .concatMap(time -> round(), 1)
                    .subscribe());
        }
    }

    /** Asks each member once, one after another; never fails. */
    Mono<Void> round() {
        return Mono.defer(() -> {
                    List<String> others = members.members().others();
                    known.keySet().retainAll(others);
                    return Flux.fromIterable(others).concatMap(this::ask).then(Mono.defer(this::pin));
                })
                .onErrorResume(failure -> {
                    log.debug("The pins of other members are asked for again", failure);
                    return Mono.empty();
                });
    }

    private Mono<Void> ask(String member) {
        Map<String, JobPin> before = known.getOrDefault(member, Map.of());
        return members.ask(member, MemberCall.of(new PinsCall(before.keySet()))).flatMap(response -> {
            List<JobPin> pins = response.pins();
            if (pins == null) {
                return Mono.empty();
            }
            Map<String, JobPin> now = merged(member, before, pins);
            known.put(member, now);
            boolean isMore = now.size() < pins.size() && !before.keySet().containsAll(now.keySet());
            return isMore ? ask(member) : Mono.empty();
        });
    }

    /** Returns what of the known pins is left, with the requests that are told now. */
    private Map<String, JobPin> merged(String member, Map<String, JobPin> before, List<JobPin> pins) {
        Map<String, JobPin> now = new HashMap<>();
        for (JobPin pin : pins) {
            JobPin earlier = before.get(pin.id());
            if (earlier != null) {
                now.put(pin.id(), earlier);
            } else if (pin.request().isPresent()) {
                now.put(pin.id(), bounded(member, pin, now));
            }
        }
        return now;
    }

    private JobPin bounded(String member, JobPin pin, Map<String, JobPin> now) {
        long others = known.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(member))
                .mapToLong(entry -> bytes(entry.getValue()))
                .sum();
        if (others + bytes(now) + bytes(pin) <= MOST_BYTES) {
            return pin;
        }
        log.warn(
                "What job {} of member {} pins is not pinned here, because the pins of other members take {} MiB:"
                        + " select by prefixes, not by lists of keys",
                pin.id(),
                member,
                MOST_BYTES >> 20);
        return new JobPin(pin.id(), pin.submitted(), Optional.empty());
    }

    private static long bytes(Map<String, JobPin> pins) {
        return pins.values().stream().mapToLong(MemberPins::bytes).sum();
    }

    /** Only what lists of keys take matters. */
    private static long bytes(JobPin pin) {
        return pin.request()
                .flatMap(request -> Optional.ofNullable(request.from()))
                .flatMap(from -> Optional.ofNullable(from.keys()))
                .map(keys -> keys.stream().mapToLong(String::length).sum())
                .orElse(0L);
    }

    private Mono<Void> pin() {
        List<JobPin> now = known.values().stream()
                .flatMap(pins -> pins.values().stream())
                .sorted(Comparator.comparing(JobPin::id))
                .toList();
        return now.equals(pinned) ? Mono.empty() : pinning.apply(now).doOnSuccess(done -> pinned = now);
    }

    @Override
    public void close() {
        rounds.dispose();
    }
}
