package io.millrace.gateway.cluster;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.write.WriteReplication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Announces this member's writes to all others, and grants them leases. A write is acknowledged when each member has
 * applied it, or can hold no lease any more; who has not applied it by then has missed its bucket, and gets its next
 * lease only after it has invalidated that. Thread-safe; never blocks.
 */
final class AnnouncedWrites implements WriteReplication {
    /** The most characters of one announcement, so that two fit into a message. */
    private static final int MOST_CHARACTERS = PeerCodec.MOST_CHARACTERS / 2 - 1024;

    private final String self;
    private final long process;
    private final Function<BackendBucket, Coherence> coherence;
    private final BooleanSupplier ready;
    private final PeerClock clock;
    private final ReplicationRules rules;
    private final MissedBuckets missed;
    private final WaitingWrites waiting;
    private final AnnouncementSender sender;
    private final Map<String, PeerOutbox> outboxes = new TreeMap<>();
    private long sessions;
    private volatile boolean leaving;

    /**
     * Creates the announcements of a process.
     *
     * @param process a random number
     * @param members the names of the other members
     * @param coherence the promise of each bucket
     * @param ready returns whether all members have confirmed this one
     */
    public AnnouncedWrites(
            String self,
            long process,
            Collection<String> members,
            LeaseTerms terms,
            Function<BackendBucket, Coherence> coherence,
            BooleanSupplier ready,
            PeerNet net,
            PeerClock clock,
            DurableValue<MissedRecords> store) {
        this(self, process, members, new ReplicationRules(terms), coherence, ready, net, clock, store);
    }

    AnnouncedWrites(
            String self,
            long process,
            Collection<String> members,
            ReplicationRules rules,
            Function<BackendBucket, Coherence> coherence,
            BooleanSupplier ready,
            PeerNet net,
            PeerClock clock,
            DurableValue<MissedRecords> store) {
        this.self = self;
        this.process = process;
        this.coherence = coherence;
        this.ready = ready;
        this.clock = clock;
        this.rules = rules;
        this.missed = new MissedBuckets(store, members, rules, clock);
        this.waiting = new WaitingWrites(outboxes, missed, rules, clock, this);
        this.sender = new AnnouncementSender(self, net, clock, this, this::acknowledged);
        members.forEach(this::add);
    }

    private void add(String member) {
        outboxes.put(member, new PeerOutbox(member, rules.grantedAtStart(clock.nanoTime())));
        missed.add(member);
    }

    private void remove(String member) {
        PeerOutbox box = outboxes.remove(member);
        if (box != null) {
            // What is on its way to it is of no concern any more.
            box.end();
        }
        missed.remove(member);
    }

    /** Replaces the list of the other members; completes when that is durable. */
    public Mono<Void> reload(Collection<String> members) {
        return waiting.changing(() -> {
            Set<String> gone = new HashSet<>(outboxes.keySet());
            gone.removeAll(members);
            gone.forEach(this::remove);
            members.stream()
                    .filter(member -> !outboxes.containsKey(member))
                    .toList()
                    .forEach(this::add);
            waiting.lookAtAll();
            return missed.write();
        });
    }

    @Override
    public Mono<Void> beginning(String backend, BucketName bucket) {
        BackendBucket place = new BackendBucket(backend, bucket.value());
        if (coherence.apply(place) == Coherence.NONE) {
            return Mono.empty();
        }
        return Mono.defer(() -> leaving || !ready.getAsBoolean() ? Mono.error(notReady()) : missed.begin(place, this));
    }

    private static S3Exception notReady() {
        return new S3Exception(
                S3ErrorCode.SERVICE_UNAVAILABLE,
                "This gateway takes no writes until all gateways of its cluster have confirmed it. Please try again.");
    }

    @Override
    public Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged) {
        List<Mono<Void>> parts = parts(ids).stream()
                .map(part -> announce(new Announcement.Written(part, acknowledged)))
                .toList();
        return parts.size() == 1 ? parts.get(0) : Mono.whenDelayError(parts);
    }

    private static List<List<ObjectId>> parts(Collection<ObjectId> ids) {
        List<List<ObjectId>> parts = new ArrayList<>();
        int characters = 0;
        for (ObjectId id : ids) {
            characters += PeerCodec.characters(id);
            if (parts.isEmpty() || characters > MOST_CHARACTERS) {
                parts.add(new ArrayList<>());
                characters = PeerCodec.characters(id);
            }
            parts.get(parts.size() - 1).add(id);
        }
        return parts;
    }

    @Override
    public Mono<Void> invalidated(ObjectPrefix below) {
        return announce(new Announcement.Invalidated(below));
    }

    @Override
    public Mono<Void> bucketChanged(String backend, BucketName bucket) {
        return announce(new Announcement.BucketChanged(new BackendBucket(backend, bucket.value())));
    }

    private Mono<Void> announce(Announcement announcement) {
        return Mono.defer(() -> {
            Coherence promise = coherence.apply(announcement.bucket());
            return promise == Coherence.NONE
                    ? Mono.empty()
                    : missed.begin(announcement.bucket(), this)
                            .then(Mono.defer(() -> send(announcement, promise == Coherence.STRONG)));
        });
    }

    private Mono<Void> send(Announcement announcement, boolean strong) {
        List<PeerOutbox> receivers = new ArrayList<>();
        Mono<Void> done = waiting.changing(() -> {
            PendingWrite write = new PendingWrite(announcement, strong, clock.nanoTime());
            for (PeerOutbox box : outboxes.values()) {
                if (box.isFull()) {
                    missed.endSession(box);
                }
                write.unacknowledged.put(box.member, box.session);
                if (box.session == null) {
                    rules.announceWithoutSession(missed, box, announcement);
                } else {
                    box.add(write);
                    receivers.add(box);
                }
            }
            waiting.add(write);
            return write.done.asMono();
        });
        receivers.forEach(sender::pump);
        if (announcement instanceof Announcement.Written written && !written.acknowledged()) {
            clock.schedule(
                    rules.repetition(),
                    () -> announce(new Announcement.Written(written.ids(), true))
                            .subscribe(again -> {}, failure -> {}));
        }
        return done;
    }

    private void acknowledged(PeerOutbox box, AnnouncementBatch batch) {
        waiting.change(() -> {
            if (!batch.session().equals(box.session)) {
                return;
            }
            box.confirmed = true;
            List<PendingWrite> applied = box.acknowledge(batch.last());
            if (!applied.isEmpty()) {
                long now = clock.nanoTime();
                rules.noteDelay(box, now - applied.get(0).announcedAt, now);
            }
            for (PendingWrite write : applied) {
                write.unacknowledged.remove(box.member);
                Long number = write.missed.remove(box.member);
                if (number != null) {
                    rules.acknowledgeLate(missed, box, write, number);
                }
                waiting.lookAt(write);
            }
        });
    }

    /** Responds to a member that requests this one's lease; empty while this member stops. */
    public Optional<LeaseResponse> respond(LeaseRequest request) {
        return waiting.changing(() -> {
            PeerOutbox box = outboxes.get(request.member());
            if (box == null) {
                return Optional.of(new LeaseResponse.NotListed());
            }
            return leaving ? Optional.empty() : respond(box, request);
        });
    }

    private Optional<LeaseResponse> respond(PeerOutbox box, LeaseRequest request) {
        long now = clock.nanoTime();
        SessionId session = box.session;
        if (session == null || !request.session().equals(Optional.of(session))) {
            if (session == null || !rules.isOfferedAgain(box, request.process(), now)) {
                missed.endSession(box);
                sessions++;
                session = new SessionId(process, sessions);
                box.begin(session, request.process(), now);
            }
            return Optional.of(new LeaseResponse.NewSession(session, missed.of(box.member)));
        }
        request.invalidated().forEach((bucket, number) -> missed.strikeOff(box.member, bucket, number));
        box.confirmed = true;
        box.durable(request.durable());
        rules.pauseIfSlow(box, now);
        waiting.lookAtAll();
        if (box.session == null) {
            return Optional.empty();
        }
        boolean granted = !rules.isWithoutGrant(box, now);
        if (granted) {
            box.grantedAt = now;
            box.granted = true;
            box.grantedTo = request.process();
        }
        return Optional.of(new LeaseResponse.Renewal(session, box.announced, missed.of(box.member), granted));
    }

    /**
     * Notes that a process of a member has said goodbye: it uses no lease any more, so that nothing waits for it, and
     * misses what is announced from then on.
     */
    public void departed(Goodbye goodbye) {
        waiting.change(() -> {
            PeerOutbox box = outboxes.get(goodbye.member());
            if (box != null) {
                long process = goodbye.session().process();
                if (rules.endsLease(box, process)) {
                    box.grantedAt = clock.nanoTime() - rules.terms.expiry().toNanos();
                    box.granted = false;
                }
                if (box.session != null && box.memberProcess == process) {
                    missed.endSession(box);
                }
                waiting.lookAtAll();
            }
        });
    }

    /** Returns how a member follows this one's announcements; empty if it is not on the list. */
    synchronized Optional<PeerOutbox.Status> status(String member) {
        return Optional.ofNullable(outboxes.get(member))
                .map(box -> box.status(clock.nanoTime(), missed.of(member).size()));
    }

    /**
     * Returns whether a member may not know of a change of a bucket that this one has made, but for those that it is
     * waited for with.
     */
    synchronized boolean owes(String member, BackendBucket bucket) {
        PeerOutbox box = outboxes.get(member);
        return box == null || box.session == null || !box.confirmed || missed.isMissed(member, bucket);
    }

    /**
     * Returns how many changes have waited for a member that did not acknowledge them in time. Those that no member was
     * waited for with do not count.
     */
    synchronized long waited() {
        return waiting.inVain();
    }

    /** Takes no more writes; completes when no announcement is waited for. */
    public Mono<Void> drain() {
        leaving = true;
        synchronized (this) {
            return waiting.allOver();
        }
    }

    /**
     * Returns the goodbyes for those members that this one owes nothing; to be called after a {@link #drain}, when no
     * write is under way. What others have not acknowledged durably they have missed. Who holds no lease gets no
     * goodbye: if it is dead, the next process would wait for its confirmation.
     */
    public synchronized Map<String, Goodbye> goodbyes() {
        Map<String, Goodbye> goodbyes = new HashMap<>();
        long now = clock.nanoTime();
        for (PeerOutbox box : outboxes.values()) {
            if (box.session != null
                    && !rules.isWithoutLease(box, now)
                    && box.isAcknowledged()
                    && missed.of(box.member).isEmpty()) {
                goodbyes.put(box.member, new Goodbye(self, box.session, box.announced));
            }
            rules.endSession(missed, box);
        }
        return goodbyes;
    }

    /** Makes the record of a clean stop durable. */
    public synchronized Mono<Void> stop() {
        return missed.stop();
    }
}
