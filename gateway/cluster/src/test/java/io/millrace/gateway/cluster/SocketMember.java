package io.millrace.gateway.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A member of a cluster whose net is sockets, with files on a disk. */
final class SocketMember implements TestMember {
    private final LiveCluster cluster;
    private final String name;
    private final ClusterMember member;
    private final MemberCache cache;

    SocketMember(LiveCluster cluster, String name, Path folder, PeerClock time) throws IOException {
        this.cluster = cluster;
        this.name = name;
        this.member = cluster.open(name, LiveCluster.Options.usual().by(() -> time));
        this.cache = new MemberCache(folder, member.lease(), member.replication());
    }

    @Override
    public MemberCache cache() {
        return cache;
    }

    @Override
    public PeerLeases leases() {
        return (PeerLeases) member.lease();
    }

    @Override
    public void start() {
        try {
            cluster.start(name, cache);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        cluster.kill(name);
        cache.close();
    }
}
