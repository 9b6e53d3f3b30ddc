package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.monitor.LogPause;
import io.millrace.gateway.objects.read.CacheLease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Requests the leases of all other members, and applies what they announce. A strong bucket's cache may be used while
 * the lease of every member is held; one that has another member's lease knows of all writes that this one has
 * acknowledged. Thread-safe; never blocks.
 */
final class PeerLeases implements CacheLease {
    private static final Logger log = LoggerFactory.getLogger(PeerLeases.class);

    private final String self;
    private final long process;
    private final LeaseTerms terms;
    private final Function<BackendBucket, Coherence> coherence;
    private final PeerNet net;
    private final PeerClock clock;
    private final AnnouncedCache cache;
    private final ListRecord list;
    private final long origin;
    private final List<String> listed;
    private final Map<String, Member> members = new TreeMap<>();
    private final LogPause logPause = new LogPause();

    /** Members that were taken off, until what is remembered is invalidated. */
    private final Set<String> unsettled = new HashSet<>();

    /** The number of leases that have run out. */
    private long lost;

    private volatile long heldUntil;
    private volatile boolean ready;
    private volatile boolean closed;

    /** Another member. */
    private static final class Member {
        PeerInbox inbox = new PeerInbox(null);

        /** Counts the requests to it. */
        long requests;

        /** The last request whose response was followed; one to an earlier request comes too late. */
        long followed;

        /** Whether a response is being followed, so that no further request is needed. */
        boolean busy;
    }

    /**
     * Creates the leases of a process; {@link #start} begins to request them.
     *
     * @param process a random number
     * @param others the names of the other members
     * @param coherence the promise of each bucket
     */
    public PeerLeases(
            String self,
            long process,
            Collection<String> others,
            LeaseTerms terms,
            Function<BackendBucket, Coherence> coherence,
            PeerNet net,
            PeerClock clock,
            AnnouncedCache cache,
            DurableValue<KnownMembers> store) {
        this.self = self;
        this.process = process;
        this.terms = terms;
        this.coherence = coherence;
        this.net = net;
        this.clock = clock;
        this.cache = cache;
        this.list = new ListRecord(store);
        this.origin = clock.nanoTime();
        this.listed = List.copyOf(others);
        list.members().forEach(member -> members.put(member, new Member()));
        others.forEach(member -> members.putIfAbsent(member, new Member()));
        settle();
    }

    /** Takes off whoever has left the list since the last process, and requests leases from then on. */
    public Mono<Void> start() {
        return reload(listed).doOnSuccess(done -> loop());
    }

    private void loop() {
        if (!closed) {
            List<String> all;
            synchronized (this) {
                members.values().forEach(member -> noteEnd(member.inbox));
                all = List.copyOf(members.keySet());
            }
            all.forEach(this::renew);
            clock.schedule(terms.period(), this::loop);
        }
    }

    /** Requests no further leases, and gives up all: whoever gets a goodbye then waits for this member no longer. */
    public synchronized void close() {
        closed = true;
        settle();
    }

    /**
     * Replaces the list of the other members, and requests the leases of those that are new at once: this member is
     * not ready until they have confirmed it. Completes when the list is durable, and what is remembered is
     * invalidated if a member was taken off that has not said goodbye: nobody tells what it wrote last.
     */
    public Mono<Void> reload(Collection<String> others) {
        List<String> gone;
        List<String> added;
        List<String> unknown = new ArrayList<>();
        Mono<Void> recorded;
        synchronized (this) {
            gone = members.keySet().stream()
                    .filter(member -> !others.contains(member))
                    .toList();
            for (String member : gone) {
                members.remove(member);
                if (!list.takeOff(member)) {
                    unknown.add(member);
                }
            }
            unsettled.addAll(unknown);
            added = others.stream()
                    .filter(member -> !members.containsKey(member))
                    .toList();
            added.forEach(member -> members.put(member, new Member()));
            list.add(others);
            recorded = list.remove(
                    gone.stream().filter(member -> !unsettled.contains(member)).toList());
            settle();
        }
        added.forEach(this::renew);
        if (unknown.isEmpty()) {
            return recorded;
        }
        log.info("Everything is revalidated, because members left that may have written unheard: {}", unknown);
        return invalidateEverything().then(Mono.defer(() -> {
            synchronized (this) {
                unknown.forEach(unsettled::remove);
                settle();
                return list.remove(unknown.stream()
                        .filter(member -> !members.containsKey(member))
                        .toList());
            }
        }));
    }

    private Mono<Void> invalidateEverything() {
        Mono<Void> later = Mono.create(sink -> clock.schedule(terms.period(), sink::success));
        return cache.invalidate(BackendBucket.EVERY).onErrorResume(failure -> {
            warn(failure);
            return later.then(Mono.defer(this::invalidateEverything));
        });
    }

    @Override
    public boolean isHeld(BucketView bucket) {
        // The lease first: it costs least, and is held nearly always.
        return isHeld()
                || coherence.apply(new BackendBucket(
                                bucket.backendName(), bucket.backendBucket().value()))
                        != Coherence.STRONG;
    }

    /** Returns whether the leases of all members are held. */
    public boolean isHeld() {
        return now() < heldUntil;
    }

    /**
     * Returns how often the lease of a member was held and has run out, because that did not respond in time or gave no
     * further one; not how often one was given up with a goodbye, or for a new session.
     */
    public synchronized long lost() {
        return lost;
    }

    private void noteEnd(PeerInbox inbox) {
        lost += inbox.hasRunOut(now()) ? 1 : 0;
    }

    /** Returns whether every member has confirmed that this one is on its list. */
    public boolean isReady() {
        return ready;
    }

    /** Returns how a member's announcements are followed; empty if it is not on the list. */
    synchronized Optional<PeerInbox.Status> status(String name) {
        return Optional.ofNullable(members.get(name))
                .map(member -> new PeerInbox.Status(
                        list.areConfirmed(Set.of(name)),
                        member.inbox.session != null,
                        now() < member.inbox.heldUntil()));
    }

    private void renew(String name) {
        Member member;
        LeaseRequest request;
        long number;
        long sentAt = now();
        synchronized (this) {
            member = members.get(name);
            if (member == null || member.busy || closed) {
                return;
            }
            member.requests++;
            number = member.requests;
            PeerInbox inbox = member.inbox;
            request = new LeaseRequest(
                    self,
                    process,
                    terms.lease(),
                    Optional.ofNullable(inbox.session),
                    inbox.durable,
                    Map.copyOf(inbox.invalidated));
        }
        syncIfNeeded(member);
        net.request(name, request)
                .subscribe(
                        response -> follow(name, member, number, sentAt, response),
                        failure -> log.debug("No lease of {}", name, failure));
    }

    private void syncIfNeeded(Member member) {
        PeerInbox inbox;
        long last;
        synchronized (this) {
            inbox = member.inbox;
            last = inbox.applied;
            if (inbox.syncing || inbox.durable == last) {
                return;
            }
            inbox.syncing = true;
        }
        cache.sync().subscribe(done -> {}, failure -> synced(inbox, 0), () -> synced(inbox, last));
    }

    private synchronized void synced(PeerInbox inbox, long last) {
        inbox.syncing = false;
        inbox.durable = Math.max(inbox.durable, last);
    }

    private void follow(String name, Member member, long number, long sentAt, LeaseResponse response) {
        LeaseResponse.SessionState state;
        Mono<Void> recorded;
        PeerInbox inbox;
        Map<BackendBucket, Long> unknown = new HashMap<>();
        synchronized (this) {
            if (members.get(name) != member || number <= member.followed) {
                return;
            }
            member.followed = number;
            if (!(response instanceof LeaseResponse.SessionState current)) {
                if (list.areConfirmed(Set.of(name))) {
                    log.warn("This gateway is not on the list of {}", name);
                }
                list.forgetConfirmations(Set.of(name)).subscribe(done -> {}, this::warn);
                settle();
                return;
            }
            if (member.busy) {
                return;
            }
            state = current;
            recorded = list.confirm(name, state.session().process());
            if (state instanceof LeaseResponse.NewSession && !state.session().equals(member.inbox.session)) {
                noteEnd(member.inbox);
                // Without a lease, which begins with what was missed before the session.
                member.inbox = new PeerInbox(state.session());
            }
            settle();
            inbox = member.inbox;
            if (!state.session().equals(inbox.session)) {
                return;
            }
            state.missed().forEach((bucket, missedAs) -> {
                if (!missedAs.equals(inbox.invalidated.get(bucket))) {
                    unknown.put(bucket, missedAs);
                }
            });
            member.busy = true;
        }
        recorded.then(Flux.fromIterable(unknown.keySet())
                        .concatMap(cache::invalidate)
                        .then())
                .subscribe(
                        done -> {},
                        failure -> {
                            release(member);
                            warn(failure);
                        },
                        () -> {
                            invalidated(member, inbox, unknown, state, sentAt);
                            if (!state.missed().isEmpty() || state instanceof LeaseResponse.NewSession) {
                                renew(name);
                            }
                        });
    }

    private synchronized void release(Member member) {
        member.busy = false;
    }

    private synchronized void invalidated(
            Member member,
            PeerInbox inbox,
            Map<BackendBucket, Long> now,
            LeaseResponse.SessionState state,
            long sentAt) {
        member.busy = false;
        if (member.inbox != inbox) {
            return;
        }
        inbox.invalidated.keySet().retainAll(state.missed().keySet());
        inbox.invalidated.putAll(now);
        if (state instanceof LeaseResponse.Renewal renewal && renewal.granted()) {
            noteEnd(inbox);
            inbox.grant(sentAt + terms.lease().toNanos(), renewal.announced());
            settle();
        }
    }

    /**
     * Applies the announcements of a member; completes when a reader can no longer see what they changed. Fails if
     * they are not of the session that is followed, or if they must wait: the member sends them again.
     */
    public Mono<Void> receive(AnnouncementBatch batch) {
        return Mono.defer(() -> {
            PeerInbox inbox;
            int known;
            synchronized (this) {
                inbox = inboxOf(batch.member());
                boolean isNext = batch.session().equals(inbox.session) && batch.first() <= inbox.applied + 1;
                if (!isNext || inbox.applying) {
                    return Mono.error(new IllegalStateException("announcements of " + batch.member() + " must wait"));
                }
                known = (int) Math.min(batch.announcements().size(), inbox.applied + 1 - batch.first());
                inbox.applying = true;
            }
            return Flux.range(known, batch.announcements().size() - known)
                    .concatMap(next -> cache.apply(batch.announcements().get(next))
                            // Each by itself: a busy cache would find no end if those before the one that fails began
                            // anew with each repetition.
                            .doOnSuccess(done -> applied(batch.member(), inbox, batch.first() + next)))
                    .then()
                    .doOnTerminate(() -> release(inbox))
                    // The member's connection broke: it sends the rest again, and applying twice is harmless.
                    .doOnCancel(() -> release(inbox))
                    .then(Mono.defer(() -> followed(batch, inbox)));
        });
    }

    private synchronized void release(PeerInbox inbox) {
        inbox.applying = false;
    }

    private synchronized void applied(String name, PeerInbox inbox, long number) {
        if (inboxOf(name) == inbox) {
            noteEnd(inbox);
            inbox.applied(number);
            settle();
        }
    }

    private synchronized Mono<Void> followed(AnnouncementBatch batch, PeerInbox inbox) {
        return inboxOf(batch.member()) == inbox
                ? Mono.empty()
                : Mono.error(new IllegalStateException("the session of " + batch.member() + " has ended"));
    }

    private PeerInbox inboxOf(String name) {
        Member member = members.get(name);
        return member == null ? new PeerInbox(null) : member.inbox;
    }

    /**
     * Notes that a process of a member is heard of. Completes when a goodbye of an earlier one is durably forgotten:
     * only then may that process learn that it is on this member's list.
     */
    public synchronized Mono<Void> heard(String name, long anotherProcess) {
        PeerInbox inbox = inboxOf(name);
        inbox.superseded |= inbox.session != null && inbox.session.process() != anotherProcess;
        return list.hear(name, anotherProcess);
    }

    /** Keeps the goodbye of a member, if all that it announced is applied; completes when that is durable. */
    public Mono<Void> receive(Goodbye goodbye) {
        return Mono.defer(() -> {
            PeerInbox inbox;
            synchronized (this) {
                inbox = inboxOf(goodbye.member());
                if (!goodbye.session().equals(inbox.session) || inbox.applied < goodbye.announced()) {
                    return Mono.empty();
                }
            }
            return cache.sync().then(Mono.defer(() -> keep(goodbye, inbox)));
        });
    }

    private synchronized Mono<Void> keep(Goodbye goodbye, PeerInbox inbox) {
        if (inboxOf(goodbye.member()) != inbox || inbox.superseded) {
            return Mono.empty();
        }
        inbox.giveUp();
        settle();
        return list.keepGoodbye(goodbye.member(), goodbye.session().process());
    }

    /**
     * Forgets that members have confirmed this one; completes when that is durable. For those that are about to get
     * its goodbye: the next process must not write before they know of it.
     */
    public synchronized Mono<Void> forgetConfirmations(Collection<String> names) {
        Mono<Void> recorded = list.forgetConfirmations(names);
        settle();
        return recorded;
    }

    private void settle() {
        ready = list.areConfirmed(members.keySet());
        heldUntil = unsettled.isEmpty() && !closed
                ? members.values().stream()
                        .mapToLong(member -> member.inbox.heldUntil())
                        .min()
                        .orElse(Long.MAX_VALUE)
                : PeerInbox.NEVER;
    }

    private long now() {
        return clock.nanoTime() - origin;
    }

    private void warn(Throwable failure) {
        // What is not written any more because this member ends is no fault of a disk.
        if (!closed && logPause.begin()) {
            log.warn(
                    "The cluster's state or an invalidation could not be made durable: check the disks of the data"
                            + " folder and the cache. It is tried again, and logged once a minute: {}",
                    failure.toString());
        }
    }
}
