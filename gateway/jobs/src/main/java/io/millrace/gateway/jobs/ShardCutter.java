package io.millrace.gateway.jobs;

import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.gateway.jobs.ShardArrangement.Shard;
import io.millrace.gateway.jobs.plan.JobSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Cuts samples into shards, in the order in which they come, and writes the two files of an arrangement. Used by one
 * thread at a time.
 */
final class ShardCutter {
    /** The first bytes of each hash; change it with the bytes that a shard has of the same members. */
    private static final String FORM = "millrace pack 1\n";

    private final OutputStream memberFile;
    private final OutputStream shardFile;
    private final JobSpec.Shards shards;
    private final int stripped;

    private HashDigest hash;
    private TarLayout tar;
    private ShardIndexText index = new ShardIndexText();
    private long number;
    private long written;
    private long first;
    private long members;
    private long samples;
    private long indexBytes;

    /** @param stripped see {@link TarLayout} */
    ShardCutter(OutputStream memberFile, OutputStream shardFile, JobSpec.Shards shards, int stripped) {
        this.memberFile = memberFile;
        this.shardFile = shardFile;
        this.shards = shards;
        this.stripped = stripped;
        this.hash = beginHash(stripped);
        this.tar = new TarLayout(stripped);
    }

    /** Begins the hash of a shard, which goes on with each member as it is encoded. */
    static HashDigest beginHash(int stripped) {
        HashDigest begun = HashDigest.of("SHA-256");
        begun.update(ByteBuffer.wrap((FORM + stripped + "\n").getBytes(StandardCharsets.UTF_8)));
        return begun;
    }

    /** Adds a sample, to the current shard if that has room. */
    void add(List<PackedMember> sample) throws IOException {
        long bytes = sample.stream().mapToLong(tar::bytes).sum();
        if (samples >= shards.samples() || tar.size() + bytes > shards.size().bytes()) {
            cut();
        }
        for (PackedMember member : sample) {
            add(member);
        }
        samples++;
    }

    private void add(PackedMember member) throws IOException {
        members++;
        byte[] encoded = member.encoded();
        hash.update(ByteBuffer.wrap(encoded));
        memberFile.write(encoded);
        written += encoded.length;
        indexBytes += index.add(tar.place(member)).getBytes(StandardCharsets.UTF_8).length;
    }

    /** Ends the current shard, if it has members. */
    void cut() throws IOException {
        if (members == 0) {
            return;
        }
        long headAndEnd = (long) ShardIndexText.head(index.samples()).length()
                + index.end().length();
        Shard shard = new Shard(
                number++,
                first,
                members,
                tar.size(),
                indexBytes + headAndEnd,
                index.samples(),
                HexFormat.of().formatHex(hash.bytes()));
        shardFile.write(shard.encoded());
        first = written;
        members = 0;
        samples = 0;
        indexBytes = 0;
        hash = beginHash(stripped);
        tar = new TarLayout(stripped);
        index = new ShardIndexText();
    }
}
