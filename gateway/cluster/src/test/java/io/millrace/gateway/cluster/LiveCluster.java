package io.millrace.gateway.cluster;

import io.millrace.auth.session.RevocationLog;
import io.millrace.gateway.objects.bucket.Coherence;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Members with real ports, clients and files. Each is reached over a relay, so that its address stays when it is
 * started again.
 */
final class LiveCluster implements AutoCloseable {
    static final String SECRET = "correct horse battery staple";
    static final Duration LEASE = Duration.ofSeconds(3);

    private final Path folder;
    private final Map<String, PeerRelay> relays = new TreeMap<>();
    private final Map<String, ClusterMember> members = new TreeMap<>();
    private final Map<String, RevocationLog> revocations = new TreeMap<>();

    /** What of a member is not as usual. */
    record Options(
            UnaryOperator<ClusterPlace> place,
            Optional<PeerTls> tls,
            Map<String, String> stores,
            Supplier<PeerClock> clock,
            InstantSource wallClock) {
        static Options usual() {
            return new Options(
                    UnaryOperator.identity(), Optional.empty(), Map.of(), SystemPeerClock::new, InstantSource.system());
        }

        Options in(UnaryOperator<ClusterPlace> other) {
            return new Options(other, tls, stores, clock, wallClock);
        }

        Options over(PeerTls other) {
            return new Options(place, Optional.of(other), stores, clock, wallClock);
        }

        Options storing(Map<String, String> otherStores) {
            return new Options(place, tls, otherStores, clock, wallClock);
        }

        Options by(Supplier<PeerClock> other) {
            return new Options(place, tls, stores, other, wallClock);
        }

        Options at(InstantSource other) {
            return new Options(place, tls, stores, clock, other);
        }
    }

    LiveCluster(Path folder, String... names) throws IOException {
        this.folder = folder;
        for (String name : names) {
            relays.put(name, new PeerRelay());
        }
    }

    List<PeerAddress> list() {
        return relays.entrySet().stream()
                .map(relay -> new PeerAddress(
                        relay.getKey(), "127.0.0.1", relay.getValue().port()))
                .toList();
    }

    Path folderOf(String name) {
        return folder.resolve(name).resolve("cluster");
    }

    PeerRelay relay(String name) {
        return Optional.ofNullable(relays.get(name)).orElseThrow();
    }

    /** Returns the revocations of the process of a member that was opened last. */
    RevocationLog revocations(String name) {
        return Optional.ofNullable(revocations.get(name)).orElseThrow();
    }

    /** Opens a member in the folder of its name, with what an earlier one left there. */
    ClusterMember open(String name, Options options) throws IOException {
        ClusterPlace usual = new ClusterPlace(
                "prod", name, list(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), SECRET, LEASE);
        RevocationLog ownRevocations =
                RevocationLog.open(Files.createDirectories(folder.resolve(name)), options.wallClock());
        revocations.put(name, ownRevocations);
        ClusterMember member = ClusterMember.open(
                options.place().apply(usual),
                folderOf(name),
                options.tls(),
                any -> Coherence.STRONG,
                options::stores,
                ownRevocations,
                options.clock().get(),
                options.wallClock());
        members.put(name, member);
        return member;
    }

    void start(String name, AnnouncedCache cache) throws IOException {
        ClusterMember member = Optional.ofNullable(members.get(name)).orElseThrow();
        member.start(cache);
        relay(name).target(member.port());
    }

    /** Opens and starts a member. */
    ClusterMember start(String name, Options options, AnnouncedCache cache) throws IOException {
        ClusterMember member = open(name, options);
        start(name, cache);
        return member;
    }

    /** Ends a member as a kill does: nobody is told, and only its files stay. */
    void kill(String name) {
        ClusterMember member = members.remove(name);
        if (member != null) {
            relay(name).target(0);
            member.close();
        }
    }

    @Override
    public void close() throws IOException {
        members.values().forEach(ClusterMember::close);
        for (PeerRelay relay : relays.values()) {
            relay.close();
        }
    }
}
