package io.millrace.gateway.cluster;

import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.kit.async.SingleFlight;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The relay of reads to other members, which knows those that can be asked. A member that does not respond is asked
 * whether it lives; one that is silent then, or cannot be reached, is left alone until it is heard again. Thread-safe;
 * never blocks.
 */
final class PeerReads {
    /** How long a member may be silent until it is asked whether it lives: up to 250 ms, by the steps of the timer. */
    private static final Duration LONGEST_SILENCE = Duration.ofMillis(150);

    /** How long it may take to say so: on a busy machine every thread comes late. */
    private static final Duration LONGEST_REPLY = Duration.ofMillis(450);

    /** The time after which a silent member is asked again whether it lives. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How long an object that its home does not share is fetched from the backend. */
    private static final Duration NOT_SHARED = Duration.ofMinutes(1);

    /** So many that a minute's reads of objects that are too large leave most others shared: 512 KiB. */
    private static final int STRIPES = 1 << 16;

    /** What is said of the object, and not of the home or its way to the backend. */
    private static final Set<FailureKind> OF_THE_OBJECT =
            EnumSet.of(FailureKind.NO_SUCH_KEY, FailureKind.VERSION_CHANGED, FailureKind.INVALID_RANGE);

    private static final Logger log = LoggerFactory.getLogger(PeerReads.class);

    private final PeerClient client;
    private final AnnouncedWrites writes;
    private final SingleFlight<String, Boolean> questions = new SingleFlight<>();
    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    /** By the names of members: as many as were ever on the list. */
    private final Map<String, Counts> counts = new ConcurrentHashMap<>();

    /** When objects may be relayed again, by the hashes of their ids, in nanoseconds since {@link #origin}. */
    private final AtomicLongArray notSharedUntil = new AtomicLongArray(STRIPES);

    private final long origin = System.nanoTime();
    private volatile boolean closed;

    /** The requests that a member has served, and those whose home it is and that went to the backend. */
    private record Counts(LongAdder relayed, LongAdder fallbacks) {
        static Counts none() {
            return new Counts(new LongAdder(), new LongAdder());
        }
    }

    PeerReads(PeerClient client, AnnouncedWrites writes) {
        this.client = client;
        this.writes = writes;
    }

    /**
     * Returns whether a member may be asked as the home of objects: it was heard last time, does not stop, and has
     * heard of what this one has written in the bucket.
     */
    boolean isAskable(String member, BackendBucket bucket) {
        return isHeard(member) && !client.contact(member).stopping() && !writes.owes(member, bucket);
    }

    /** Returns whether a member was heard last time, so that it may be asked for what it has. */
    boolean isHeard(String member) {
        PeerContact contact = client.contact(member);
        return contact.heardAt().isPresent() && contact.problem().isEmpty() && !silent.contains(member);
    }

    /** Returns whether a member has said that it stops: it is still there, and not the home of objects any more. */
    boolean isStopping(String member) {
        return isHeard(member) && client.contact(member).stopping();
    }

    /** Returns whether an object may be relayed: its home has not said lately that it is not to be shared. */
    boolean isShared(ObjectId id) {
        return notSharedUntil.get(stripe(id)) <= System.nanoTime() - origin;
    }

    private static int stripe(ObjectId id) {
        return Math.floorMod(id.hashCode(), STRIPES);
    }

    /**
     * Reads from the first of these members that responds; empty if none does, or that does not serve the object. Fails
     * only with what a backend would say of the object. The subscriber owns the content, which has no bytes if the
     * metadata were wanted.
     */
    Mono<ObjectContent> read(List<String> members, RelayedRead read) {
        byte[] message = RelayCodec.encode(read);
        Mono<ObjectContent> found = Mono.empty();
        for (String member : members) {
            // Who reads for long has chosen the members long ago.
            found = found.switchIfEmpty(
                    Mono.defer(() -> silent.contains(member) ? Mono.empty() : ask(member, message, read)));
        }
        // No other member could say more, and where the backend fails each would add to its load.
        return found.onErrorResume(failure -> !isOfTheObject(failure), failure -> {
                    noteNotServed(read.id(), failure);
                    return Mono.empty();
                })
                .switchIfEmpty(Mono.fromRunnable(
                        () -> counts(members.get(0)).fallbacks().increment()));
    }

    /**
     * Reads what a member has; empty if it has not all that is wanted, or does not respond. The subscriber owns the
     * content, which it must subscribe to or discard.
     */
    Mono<ObjectContent> held(String member, RelayedRead read) {
        return Mono.defer(() -> isHeard(member) ? ask(member, RelayCodec.encode(read), read) : Mono.empty())
                .onErrorResume(failure -> {
                    log.debug("Member {} does not send what it has of an object", member, failure);
                    return Mono.empty();
                });
    }

    private Mono<ObjectContent> ask(String member, byte[] message, RelayedRead read) {
        return client.read(member, message)
                .timeout(silence(member), Mono.error(() -> unavailable(member)))
                .onErrorResume(failure -> {
                    noteUnreachable(member, failure);
                    return Mono.empty();
                })
                .flatMap(response -> content(member, response, read))
                .doOnNext(content -> counts(member).relayed().increment());
    }

    private Counts counts(String member) {
        return counts.computeIfAbsent(member, named -> Counts.none());
    }

    private static BackendException unavailable(String member) {
        return new BackendException(FailureKind.UNAVAILABLE, member + " says neither what it has nor that it lives");
    }

    /** Completes when the member has not said for long that it lives. */
    private Mono<Void> silence(String member) {
        return HttpTimeouts.after(LONGEST_SILENCE)
                .then(Mono.defer(() -> isAlive(member)))
                .repeat()
                .then()
                .onErrorComplete();
    }

    private Mono<Boolean> isAlive(String member) {
        return questions
                .join(member, () -> client.alive(member).timeout(LONGEST_REPLY).thenReturn(true))
                .map(SingleFlight.Joined::value);
    }

    private void noteUnreachable(String member, Throwable failure) {
        log.debug("A home does not respond to a read", failure);
        if (failure instanceof BackendException known
                && known.kind() == FailureKind.UNAVAILABLE
                && silent.add(member)) {
            log.warn("No reads are relayed to member {} until it responds again: {}", member, failure.getMessage());
            Mono.delay(PAUSE)
                    .then(Mono.defer(() -> isAlive(member)))
                    .retryWhen(Retry.indefinitely().filter(still -> !closed && client.isListed(member)))
                    .doFinally(end -> silent.remove(member))
                    .subscribe(alive -> {}, gone -> {});
        }
    }

    private Mono<ObjectContent> content(String member, PeerClient.ReadResponse response, RelayedRead read) {
        RelayedObject object;
        try {
            object = RelayCodec.object(response.object());
            if (!read.wanted().isMetBy(object.head().version(), object.range())) {
                throw RefusedMessageException.malformed("the home responds with other bytes than are wanted");
            }
        } catch (RefusedMessageException other) {
            response.body().discard();
            return Mono.error(other);
        } catch (BackendException failure) {
            // To its end, which is here: so the connection can be used again.
            return response.body().drain().then(Mono.error(failure));
        }
        if (read.wanted() instanceof RelayedRead.Head) {
            return response.body().drain().thenReturn(new ObjectContent(object.head(), object.range(), Flux.empty()));
        }
        // What is left of the body is fetched elsewhere then, by whoever reads it.
        Mono<Boolean> alive = isAlive(member).doOnError(failure -> noteUnreachable(member, unavailable(member)));
        response.body().askWhenSilent(LONGEST_SILENCE, alive);
        return Mono.just(new ObjectContent(
                object.head(),
                object.range(),
                LengthCheckedBody.of(response.body(), object.length(), TransportFailures::ofBody)));
    }

    private static boolean isOfTheObject(Throwable failure) {
        return failure instanceof BackendException known && OF_THE_OBJECT.contains(known.kind());
    }

    private void noteNotServed(ObjectId id, Throwable failure) {
        if (failure instanceof BackendException known && known.kind() == FailureKind.UNSUPPORTED) {
            notSharedUntil.set(stripe(id), System.nanoTime() - origin + NOT_SHARED.toNanos());
        }
        log.debug("A home does not serve {}", id.object(), failure);
    }

    /** Asks no silent member whether it lives any more. */
    void close() {
        closed = true;
    }

    /** Returns how many requests other members have served. */
    long relayed() {
        return counts.values().stream().mapToLong(of -> of.relayed().sum()).sum();
    }

    /** Returns how many requests went to the backend because none of the members that were asked has served them. */
    long fallbacks() {
        return counts.values().stream().mapToLong(of -> of.fallbacks().sum()).sum();
    }

    /** Returns how many requests a member has served. */
    long relayed(String member) {
        return counts(member).relayed().sum();
    }

    /** Returns how many requests whose first choice a member is went to the backend. */
    long fallbacks(String member) {
        return counts(member).fallbacks().sum();
    }
}
