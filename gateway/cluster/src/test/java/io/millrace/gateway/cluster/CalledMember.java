package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.bucket.Coherence;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** A member of a cluster whose net is method calls, and whose files are in memory. */
final class CalledMember implements TestMember, PeerNet {
    private final String name;
    private final Map<String, CalledMember> members;
    private final Set<String> unreachable = ConcurrentHashMap.newKeySet();
    private final LaterCache later = new LaterCache();
    private final PeerLeases leases;
    private final MemberCache cache;
    private final Cluster cluster;

    CalledMember(String name, Map<String, CalledMember> members, Set<String> others, Path folder, PeerClock time)
            throws IOException {
        this.name = name;
        this.members = members;
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(3));
        long process = name.hashCode();
        this.leases = new PeerLeases(
                name,
                process,
                others,
                terms,
                any -> Coherence.STRONG,
                this,
                time,
                later,
                new MemoryValue<>(KnownMembers.EMPTY));
        AnnouncedWrites announced = new AnnouncedWrites(
                name,
                process,
                others,
                terms,
                any -> Coherence.STRONG,
                leases::isReady,
                this,
                time,
                new MemoryValue<>(MissedRecords.EMPTY));
        this.cluster = new Cluster(leases, announced, this);
        this.cache = new MemberCache(folder, leases, announced);
        later.set(cache);
        members.put(name, this);
    }

    @Override
    public MemberCache cache() {
        return cache;
    }

    @Override
    public PeerLeases leases() {
        return leases;
    }

    @Override
    public void start() {
        cluster.start().block();
    }

    /** Loses all messages to and from another member, or no longer. */
    void cut(CalledMember other, boolean isCut) {
        if (isCut) {
            unreachable.add(other.name);
            other.unreachable.add(name);
        } else {
            unreachable.remove(other.name);
            other.unreachable.remove(name);
        }
    }

    @Override
    public void close() {
        leases.close();
        cache.close();
    }

    @Override
    public Mono<LeaseResponse> request(String member, LeaseRequest request) {
        return unless(member, Mono.defer(() -> to(member).cluster.respond(request)));
    }

    @Override
    public Mono<Void> announce(String member, AnnouncementBatch batch) {
        return unless(member, Mono.defer(() -> to(member).cluster.receive(batch)));
    }

    @Override
    public Mono<Void> leave(String member, Goodbye goodbye) {
        return unless(member, Mono.defer(() -> to(member).cluster.receive(goodbye)));
    }

    private CalledMember to(String member) {
        return Optional.ofNullable(members.get(member)).orElseThrow();
    }

    private <T> Mono<T> unless(String member, Mono<T> message) {
        return Mono.defer(() -> unreachable.contains(member) ? Mono.never() : message);
    }
}
