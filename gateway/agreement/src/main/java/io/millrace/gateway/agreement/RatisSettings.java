package io.millrace.gateway.agreement;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;

/** The settings of Ratis: for a small map, on machines that do something else, with little memory and few threads. */
final class RatisSettings {
    /** The log of more than these entries becomes a snapshot. */
    static final int SNAPSHOT_EVERY = 5_000;

    private static final Map<String, String> FIXED = Map.ofEntries(
            // Elections begin after a second without a leader; shorter ones come of load alone.
            Map.entry("raft.server.rpc.timeout.min", "1s"),
            Map.entry("raft.server.rpc.timeout.max", "1500ms"),
            Map.entry("raft.server.rpc.first-election.timeout.min", "150ms"),
            Map.entry("raft.server.rpc.first-election.timeout.max", "450ms"),
            Map.entry("raft.server.rpc.request.timeout", "1s"),
            Map.entry("raft.client.rpc.request.timeout", "1s"),
            Map.entry("raft.server.read.option", "LINEARIZABLE"),
            // A voter that was frozen for a minute would close for ever.
            Map.entry("raft.server.close.threshold", "365d"),
            Map.entry("raft.server.log.segment.size.max", "1MB"),
            Map.entry("raft.server.log.preallocated.size", "64KB"),
            Map.entry("raft.server.log.appender.buffer.byte-limit", "1MB"),
            Map.entry("raft.server.log.appender.snapshot.chunk.size.max", "1MB"),
            Map.entry("raft.server.log.write.buffer.size", "1100KB"),
            Map.entry("raft.server.log.queue.byte-limit", "4MB"),
            Map.entry("raft.server.write.byte-limit", "4MB"),
            Map.entry("raft.server.log.segment.cache.num.max", "2"),
            Map.entry("raft.server.log.segment.cache.size.max", "4MB"),
            Map.entry("raft.server.log.purge.upto.snapshot.index", "true"),
            Map.entry("raft.server.log.purge.gap", "100"),
            // Less than this, and a lost disk could go unnoticed.
            Map.entry("raft.server.log.corruption.policy", "EXCEPTION"),
            Map.entry("raft.server.snapshot.auto.trigger.enabled", "true"),
            Map.entry("raft.server.snapshot.retention.file.num", "2"),
            Map.entry("raft.server.threadpool.proxy.size", "4"),
            Map.entry("raft.server.threadpool.server.size", "4"),
            Map.entry("raft.server.threadpool.client.size", "4"),
            Map.entry("raft.server.data-stream.async.request.thread.pool.size", "1"),
            Map.entry("raft.server.data-stream.async.write.thread.pool.size", "1"),
            Map.entry("raft.grpc.server.async.request.thread.pool.size", "4"),
            Map.entry("raft.grpc.server.boss-group.size", "1"),
            Map.entry("raft.grpc.server.worker-group.size", "2"),
            Map.entry("raft.grpc.client.worker-group.size", "1"),
            Map.entry("raft.grpc.message.size.max", "4MB"),
            Map.entry("raft.grpc.use-epoll", "false"));

    private RatisSettings() {}

    /** Returns the settings of this member, whether it votes or not. */
    static RaftProperties of(AgreementPlace place, int snapshotEvery) {
        RaftProperties settings = new RaftProperties();
        FIXED.forEach(settings::set);
        VoterFolder folder = new VoterFolder(place);
        settings.set("raft.server.snapshot.auto.trigger.threshold", String.valueOf(snapshotEvery));
        settings.set("raft.server.storage.dir", folder.log().toString());
        settings.set("raft.server.removed.groups.dir", folder.removed().toString());
        settings.set("raft.grpc.server.host", place.listen().getHostString());
        settings.set("raft.grpc.server.port", String.valueOf(place.listen().getPort()));
        return settings;
    }

    /** Returns the id under which the voters of a cluster know each other. */
    static RaftGroupId group(AgreementPlace place) {
        return RaftGroupId.valueOf(
                UUID.nameUUIDFromBytes(("millrace agreement of " + place.cluster()).getBytes(StandardCharsets.UTF_8)));
    }

    static RaftPeer peer(Map.Entry<String, String> voter) {
        return RaftPeer.newBuilder()
                .setId(voter.getKey())
                .setAddress(voter.getValue())
                .build();
    }
}
