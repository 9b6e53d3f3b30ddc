package io.millrace.gateway.cluster;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.cluster.SimulatedMember.Stored;
import io.millrace.gateway.objects.bucket.Coherence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A process of a simulated member: the protocol, and a model of the gateway around it, whose cache is one version of
 * each key.
 */
@NullUnmarked // a model, where null is what is not there
final class SimulatedProcess implements PeerNet, PeerClock, AnnouncedCache {
    private static final String BACKEND = "backend";
    private static final String BUCKET = "bucket-";
    private static final long RECENT =
            PlacedObjectSourceFactory.recent(SimulatedCluster.TERMS).toNanos();

    final SimulatedMember member;
    private final SimulatedCluster cluster;
    private final Map<String, Stored> memory;

    /** Stored entries whose deletion is not done yet, each with what identifies the deletion. */
    private final Map<String, Object> deletions = new HashMap<>();

    private final Map<String, Integer> beingWritten = new HashMap<>();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, List<Consumer<Found>>> fetches = new HashMap<>();

    /** When keys were changed last, by the own clock. */
    private final Map<String, Long> changedAt = new HashMap<>();

    private final long startedAt;
    private final Set<OpenWrite> open = new LinkedHashSet<>();
    private final List<MonoSink<Void>> syncs = new ArrayList<>();
    private final PeerLeases leases;
    private final AnnouncedWrites writes;
    private final Cluster protocol;
    private boolean started;
    private boolean leaving;

    /** Whether the leases were held when they were given up. */
    private boolean wasHeld;

    private boolean isDepartureIgnored;

    /** The response to a read; the version is null if there is none. */
    interface ReadResponse {
        void received(Integer version, boolean hit);
    }

    /** A version, or null, and when it was the current one. */
    private record Found(Integer version, double at, boolean hit) {
        static final Found NOTHING = new Found(null, 0, false);
    }

    private record Fence(int epoch, boolean beingWritten) {}

    SimulatedProcess(SimulatedCluster cluster, SimulatedMember member) {
        this.cluster = cluster;
        this.member = member;
        this.memory = new HashMap<>(member.disk);
        this.startedAt = nanoTime();
        long process = cluster.random.nextLong();
        this.leases = new PeerLeases(
                member.name,
                process,
                others(),
                SimulatedCluster.TERMS,
                SimulatedProcess::coherence,
                this,
                this,
                this,
                new Store<>(() -> member.known, this::store));
        this.writes = new AlteredRules(
                        cluster.alteration.lack, SimulatedCluster.TERMS, seconds(SimulatedCluster.UNANSWERED))
                .writes(
                        member.name,
                        process,
                        others(),
                        SimulatedProcess::coherence,
                        this::isReady,
                        this,
                        this,
                        new Store<>(this::missed, value -> member.missed = value));
        this.protocol = new Cluster(leases, writes, this);
    }

    void start() {
        isDepartureIgnored = cluster.alteration == Alteration.DEPARTURES_ARE_IGNORED;
        protocol.start().subscribe(done -> {}, this::fail, () -> started = true);
        isDepartureIgnored = false;
        syncAgain();
    }

    void reload() {
        isDepartureIgnored = cluster.alteration == Alteration.DEPARTURES_ARE_IGNORED;
        protocol.reload(others()).subscribe(done -> {}, this::fail);
        isDepartureIgnored = false;
    }

    private void fail(Throwable failure) {
        cluster.fail("ERROR", "%s".formatted(failure));
    }

    private Set<String> others() {
        Set<String> others = new TreeSet<>(member.list);
        others.remove(member.name);
        return others;
    }

    private static Coherence coherence(BackendBucket bucket) {
        return bucket.name().equals(BUCKET + "S") ? Coherence.STRONG : Coherence.ANNOUNCED;
    }

    boolean isReady() {
        return leases.isReady() || cluster.alteration == Alteration.READINESS_IS_IGNORED;
    }

    boolean isHeld() {
        return leases.isHeld()
                || cluster.alteration == Alteration.LEASE_IS_IGNORED
                || (cluster.alteration == Alteration.LEASES_ARE_USED_AFTER_A_GOODBYE && wasHeld);
    }

    boolean isLeaving() {
        return leaving;
    }

    Set<String> keysThatCannotBePublished() {
        return beingWritten.keySet();
    }

    /** Returns the keys whose unanswered writes are forgotten with this process. */
    Set<String> forgottenKeys() {
        Set<String> keys = new HashSet<>();
        open.stream().filter(write -> write.isUnderWay || write.isUnanswered).forEach(write -> keys.add(write.key));
        return keys;
    }

    // Time

    void after(double delay, Runnable task) {
        cluster.after(delay, () -> member.runOrHold(this, task));
    }

    @Override
    public long nanoTime() {
        return Math.round((cluster.now * member.rate + member.offset) * 1e9);
    }

    @Override
    public void schedule(Duration delay, Runnable task) {
        after(delay.toNanos() / 1e9 / member.rate, task);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    /** Freezes the member between two steps, now and then. */
    private void freezeMaybe(double probability) {
        if (cluster.freezes && cluster.chance(probability)) {
            member.freeze(cluster.oneOf(List.of(0.5, 4.0, 7.0, 9.0, 13.0, 30.0)) * cluster.between(0.8, 1.2));
        }
    }

    // Cache

    private void syncAgain() {
        syncNow();
        after(cluster.between(0.3, 2.5), this::syncAgain);
    }

    private void syncNow() {
        if (member.isDiskSlow) {
            return;
        }
        deletions.keySet().forEach(member.disk::remove);
        deletions.clear();
        member.synced.clear();
        member.synced.putAll(member.disk);
        List<MonoSink<Void>> done = List.copyOf(syncs);
        syncs.clear();
        done.forEach(MonoSink::success);
    }

    @Override
    public Mono<Void> sync() {
        return Mono.create(syncs::add);
    }

    private void drop(String key, boolean durable) {
        epochs.merge(key, 1, Integer::sum);
        changedAt.put(key, nanoTime());
        memory.remove(key);
        if (durable) {
            member.disk.remove(key);
            member.synced.remove(key);
            deletions.remove(key);
        } else if (member.disk.containsKey(key)) {
            Object deletion = new Object();
            deletions.put(key, deletion);
            after(cluster.between(0, 0.5), () -> {
                if (!member.isDiskSlow && deletions.remove(key, deletion)) {
                    member.disk.remove(key);
                }
            });
        }
    }

    /** Readers that come later join no fetch that was sent before. */
    private void dropAndForget(String key, boolean durable) {
        drop(key, durable);
        fetches.remove(key);
    }

    private void mark(String key) {
        beingWritten.merge(key, 1, Integer::sum);
    }

    private void unmark(String key) {
        beingWritten.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    @Override
    public Mono<Void> apply(Announcement announcement) {
        return Mono.fromRunnable(() -> {
            Announcement.Written written = (Announcement.Written) announcement;
            written.ids().forEach(id -> applyWrite(id.object().key().value(), written.acknowledged()));
        });
    }

    private void applyWrite(String key, boolean acknowledged) {
        dropAndForget(key, false);
        if (!acknowledged) {
            mark(key);
            schedule(seconds(SimulatedCluster.UNANSWERED), () -> {
                dropAndForget(key, false);
                unmark(key);
            });
        }
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        if (isDepartureIgnored) {
            return Mono.empty();
        }
        return Mono.create(sink -> after(cluster.between(0.001, 0.02), () -> {
            cluster.invalidations++;
            cluster.note("%s invalidates %s".formatted(member.name, bucket));
            if (bucket.name().equals(BUCKET + "U")) {
                cluster.fail("U", "%s invalidates the bucket that is not written".formatted(member.name));
            }
            boolean early = cluster.alteration == Alteration.INVALIDATIONS_ARE_REPORTED_EARLY;
            SimulatedCluster.KEYS.forEach((letter, keys) -> {
                if (bucket.equals(BackendBucket.EVERY) || bucket.name().equals(BUCKET + letter)) {
                    keys.forEach(key -> dropAndForget(key, !early));
                }
            });
            sink.success();
        }));
    }

    private Fence fence(String key) {
        return new Fence(epochs.getOrDefault(key, 0), beingWritten.containsKey(key));
    }

    private void publish(String key, int version, Fence fence, double at) {
        if (!fence.beingWritten() && fence.equals(fence(key))) {
            deletions.remove(key);
            memory.put(key, new Stored(version, at));
            member.disk.put(key, new Stored(version, at));
        }
    }

    // Clients

    void read(String key, boolean strict, ReadResponse response) {
        find(key, strict, cluster.isShared, found -> response.received(found.version(), found.hit()));
    }

    /** Serves as the home of a key what another member relays: from memory, or from the backend alone. */
    private void serve(String key, boolean revalidated, Consumer<Found> response) {
        boolean hearsAll = leases.isHeld() || cluster.alteration == Alteration.HOMES_REMEMBER_WITHOUT_LEASES;
        find(key, revalidated || !hearsAll, false, response);
    }

    private void find(String key, boolean strict, boolean relays, Consumer<Found> response) {
        if (!started) {
            response.accept(Found.NOTHING);
            return;
        }
        boolean revalidates = strict || (key.startsWith("S") && !isHeld());
        boolean mayUse = !revalidates && !beingWritten.containsKey(key);
        if (mayUse) {
            Stored cached = memory.get(key);
            if (cached != null && (!key.startsWith("A") || cluster.now - cached.at() < SimulatedCluster.TTL)) {
                freezeMaybe(0.003);
                after(0.0003, () -> response.accept(new Found(cached.version(), cached.at(), true)));
                return;
            }
            List<Consumer<Found>> joined = fetches.get(key);
            if (joined != null) {
                joined.add(response);
                return;
            }
        }
        List<Consumer<Found>> readers = new ArrayList<>(List.of(response));
        Fence fence = fence(key);
        if (mayUse) {
            fetches.put(key, readers);
        }
        fetch(key, revalidates || isChangedLately(key), relays ? homes(key) : List.of(), found -> {
            fetches.remove(key, readers);
            if (found.version() != null) {
                publish(key, found.version(), fence, found.at());
            }
            readers.forEach(reader -> reader.accept(found));
        });
    }

    /** Whoever is home of the key may not have heard of a change that this process has heard of. */
    private boolean isChangedLately(String key) {
        return cluster.alteration != Alteration.HOMES_REMEMBER_AFTER_CHANGES
                && nanoTime() - changedAt.getOrDefault(key, startedAt) < RECENT;
    }

    /** Returns the members that are the home of a key before this one, by this one's list, the first choice first. */
    private List<String> homes(String key) {
        ObjectId id = id(key);
        RendezvousPlacement placement = new RendezvousPlacement(member.name, others());
        return placement.before(OwnershipHash.of(BACKEND, id.object())).stream()
                .filter(home -> !writes.owes(home, BackendBucket.of(id)))
                .limit(2)
                .toList();
    }

    /** Asks the homes one after another, and then the backend; the response has no version if that has none. */
    private void fetch(String key, boolean revalidated, List<String> homes, Consumer<Found> response) {
        if (homes.isEmpty()) {
            double at = cluster.now;
            cluster.backendRead(this, key, version -> response.accept(new Found(version, at, false)));
            return;
        }
        boolean[] done = {false};
        Consumer<Found> once = found -> {
            if (!done[0]) {
                done[0] = true;
                if (found.version() == null) {
                    fetch(key, revalidated, homes.subList(1, homes.size()), response);
                } else {
                    cluster.relays++;
                    response.accept(new Found(found.version(), found.at(), false));
                }
            }
        };
        String home = homes.get(0);
        cluster.send(
                member.name,
                home,
                receiver -> receiver.serve(key, revalidated, found -> back(home, () -> once.accept(found))));
        // One that lives may take as long as its backend does.
        after(cluster.between(0.7, 5), () -> once.accept(Found.NOTHING));
    }

    /** Writes a key; the response is its version if the write is acknowledged, and null if not. */
    void write(String key, boolean isLong, Consumer<Integer> response) {
        if (leaving || !started) {
            response.accept(null);
            return;
        }
        OpenWrite write = new OpenWrite(member.name, key);
        open.add(write);
        writes.beginning(BACKEND, bucket(key)).subscribe(done -> {}, refused -> refuse(write, response), () -> {
            freezeMaybe(0.004);
            after(0.0002, () -> send(write, isLong, response));
        });
    }

    private void refuse(OpenWrite write, Consumer<Integer> response) {
        open.remove(write);
        response.accept(null);
    }

    private void send(OpenWrite write, boolean isLong, Consumer<Integer> response) {
        drop(write.key, true);
        mark(write.key);
        write.isUnderWay = true;
        after(isLong ? cluster.between(5, 30) : 0, () -> {
            freezeMaybe(0.006);
            cluster.backendWrite(this, write, answered -> end(write, answered, response));
        });
    }

    private void end(OpenWrite write, boolean answered, Consumer<Integer> response) {
        dropAndForget(write.key, true);
        if (answered) {
            unmark(write.key);
        } else {
            write.isUnanswered = true;
            schedule(seconds(SimulatedCluster.UNANSWERED), () -> {
                dropAndForget(write.key, true);
                unmark(write.key);
                write.isUnanswered = false;
                removeIfOver(write);
            });
        }
        freezeMaybe(0.01);
        after(
                0.0001,
                () -> writes.written(List.of(id(write.key)), answered).subscribe(done -> {}, this::fail, () -> {
                    write.isUnderWay = false;
                    removeIfOver(write);
                    freezeMaybe(0.006);
                    after(0.0002, () -> response.accept(answered ? write.version : null));
                }));
    }

    private void removeIfOver(OpenWrite write) {
        if (!write.isUnderWay && !write.isUnanswered) {
            open.remove(write);
        }
    }

    /** Returns the home of a key among members. */
    static String home(String key, Set<String> members) {
        String any = members.iterator().next();
        Set<String> others = new TreeSet<>(members);
        others.remove(any);
        return new RendezvousPlacement(any, others).home(OwnershipHash.of(BACKEND, id(key).object()));
    }

    private static BucketName bucket(String key) {
        return new BucketName(BUCKET + key.charAt(0));
    }

    private static ObjectId id(String key) {
        return ObjectId.current(BACKEND, new ObjectRef(bucket(key), new ObjectKey(key)));
    }

    /** Stops: cleanly, if all writes end within two seconds. */
    void leave(Runnable then) {
        leaving = true;
        protocol.drain().subscribe();
        leaveOnceDrained(cluster.now + 2, () -> after(0.3, then));
    }

    private void leaveOnceDrained(double end, Runnable then) {
        boolean isDrained = open.stream().noneMatch(write -> write.isUnderWay);
        if (isDrained) {
            wasHeld = leases.isHeld();
            protocol.leave().subscribe(done -> {}, this::fail, then);
        } else if (cluster.now >= end) {
            then.run();
        } else {
            after(0.2, () -> leaveOnceDrained(end, then));
        }
    }

    // Net

    @Override
    public Mono<LeaseResponse> request(String to, LeaseRequest request) {
        LeaseRequest sent = cluster.alteration != Alteration.DELETIONS_COUNT_AS_DURABLE
                ? request
                : new LeaseRequest(
                        request.member(),
                        request.process(),
                        request.lease(),
                        request.session(),
                        Long.MAX_VALUE,
                        request.invalidated());
        return Mono.create(sink -> cluster.send(
                member.name,
                to,
                receiver -> receiver.protocol
                        .respond(sent)
                        .map(response -> altered(request, response))
                        .filter(response -> !(response instanceof LeaseResponse.NotListed)
                                || cluster.alteration != Alteration.DENIALS_ARE_IGNORED)
                        .subscribe(response -> back(to, () -> sink.success(response)), receiver::fail)));
    }

    private LeaseResponse altered(LeaseRequest request, LeaseResponse response) {
        if (cluster.alteration == Alteration.STRANGERS_GET_LEASES
                && response instanceof LeaseResponse.NotListed
                && request.session().isPresent()) {
            return new LeaseResponse.Renewal(request.session().get(), 0, Map.of(), true);
        }
        if (cluster.alteration != Alteration.MISSED_BUCKETS_ARE_IGNORED) {
            return response;
        }
        if (response instanceof LeaseResponse.NewSession begun) {
            return new LeaseResponse.NewSession(begun.session(), Map.of());
        }
        return response instanceof LeaseResponse.Renewal renewal
                ? new LeaseResponse.Renewal(renewal.session(), renewal.announced(), Map.of(), renewal.granted())
                : response;
    }

    /** Takes a response of another member to this process. */
    private void back(String from, Runnable response) {
        cluster.send(from, member.name, receiver -> {
            if (receiver == this) {
                response.run();
            }
        });
    }

    @Override
    public Mono<Void> announce(String to, AnnouncementBatch batch) {
        if (cluster.alteration == Alteration.ACKNOWLEDGED_WITHOUT_EFFECT && to.equals("n1")) {
            return Mono.empty();
        }
        return Mono.create(sink -> cluster.send(
                member.name,
                to,
                receiver -> receiver.protocol
                        .receive(batch)
                        .subscribe(done -> {}, wait -> {}, () -> back(to, sink::success))));
    }

    @Override
    public Mono<Void> leave(String to, Goodbye goodbye) {
        return Mono.create(sink -> cluster.send(
                member.name,
                to,
                cluster.goodbyeDelay,
                receiver -> receiver.protocol
                        .receive(goodbye)
                        .subscribe(done -> {}, receiver::fail, () -> back(to, sink::success))));
    }

    // Stores

    private MissedRecords missed() {
        return cluster.alteration == Alteration.BEGUN_BUCKETS_ARE_IGNORED
                ? new MissedRecords(member.missed.missed(), Set.of())
                : member.missed;
    }

    private void store(KnownMembers value) {
        Set<String> confirmed = new HashSet<>(value.confirmed());
        if (cluster.alteration == Alteration.GOODBYES_KEEP_CONFIRMATIONS) {
            confirmed.addAll(member.known.confirmed());
            confirmed.retainAll(value.members());
        }
        member.known = new KnownMembers(value.members(), confirmed, value.goodbyes());
    }

    /** A value that is durable some milliseconds after it was written. */
    private final class Store<T> implements DurableValue<T> {
        private final Supplier<T> reader;
        private final Consumer<T> writer;

        Store(Supplier<T> reader, Consumer<T> writer) {
            this.reader = reader;
            this.writer = writer;
        }

        @Override
        public T read() {
            return reader.get();
        }

        @Override
        public Mono<Void> write(T value) {
            boolean late = cluster.alteration == Alteration.BEGUN_BUCKETS_ARE_DURABLE_LATE
                    && value instanceof MissedRecords records
                    && !member.missed.begun().containsAll(records.begun());
            return Mono.create(sink -> {
                after(cluster.between(0.002, 0.05) + (late ? 0.5 : 0), () -> {
                    writer.accept(value);
                    sink.success();
                });
                if (late) {
                    sink.success();
                }
            });
        }
    }
}
