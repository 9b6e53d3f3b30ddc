package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.kit.file.FileFailureText;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The arrangement of a pack, which says what member is where in what shard; it is made once and never changes. Of all
 * its members only some are in memory. Only the job thread accesses the disk.
 *
 * <pre>
 *   pack-members     each {@link PackedMember}, in the order of the shards
 *   pack-shards      the number of the first shard, and each {@link Shard}; it is there when the arrangement is whole
 *   pack-slice-N     samples that are being shuffled
 * </pre>
 *
 * @param folder of the job
 */
record ShardArrangement(Path folder, JobStateThread thread) {
    /** The members that are read at a time. */
    private static final int PAGE = 256;

    private static final int BUFFER = 32 << 10;

    /**
     * A shard: a record of fixed length.
     *
     * @param number in its name; not in the record
     * @param first place of its first member in the file of members
     * @param bytes of its tar
     * @param indexed samples that its index lists
     * @param hash SHA-256 of its members, in hex: of what its tar and its index are made
     */
    record Shard(long number, long first, long members, long bytes, long indexBytes, long indexed, String hash) {
        private static final int HASH_BYTES = 32;
        private static final int BYTES = 5 * Long.BYTES + HASH_BYTES;

        byte[] encoded() {
            return ByteBuffer.allocate(BYTES)
                    .putLong(first)
                    .putLong(members)
                    .putLong(bytes)
                    .putLong(indexBytes)
                    .putLong(indexed)
                    .put(HexFormat.of().parseHex(hash))
                    .array();
        }

        private static Shard read(long number, DataInputStream in) throws IOException {
            ByteBuffer record = ByteBuffer.wrap(in.readNBytes(BYTES));
            byte[] hash = new byte[HASH_BYTES];
            record.get(5 * Long.BYTES, hash);
            return new Shard(
                    number,
                    record.getLong(),
                    record.getLong(),
                    record.getLong(),
                    record.getLong(),
                    record.getLong(),
                    HexFormat.of().formatHex(hash));
        }
    }

    /**
     * A member in the file of members, from which on these can be read.
     *
     * @param left members of the shard from it on
     */
    record Located(PackedMember member, long place, long left) {}

    /** A page of members, and the place and number of those behind it. */
    private record Page(List<Located> members, long next, long left) {}

    Path memberFile() {
        return folder.resolve(JobFolder.ARRANGEMENT + "members");
    }

    Path shardFile() {
        return folder.resolve(JobFolder.ARRANGEMENT + "shards");
    }

    Path sliceFile(int number) {
        return folder.resolve(JobFolder.ARRANGEMENT + "slice-" + number);
    }

    /** Returns whether there is an arrangement. */
    Mono<Boolean> exists() {
        return thread.call(() -> Files.exists(shardFile()));
    }

    /** Returns a shard by its number. */
    Mono<Shard> shard(long number) {
        return shards(number, 1)
                .flatMap(one -> one.isEmpty() ? Mono.error(unreadable("it ends too early")) : Mono.just(one.get(0)));
    }

    /** Returns at most this many shards from a number on, or from the first one if that has a higher one. */
    Mono<List<Shard>> shards(long number, int most) {
        return read(() -> readShards(number, most));
    }

    /** Reads on the job thread. What fails there fails the job: each other shard would fail in the same way. */
    private <T> Mono<T> read(Callable<@Nullable T> reading) {
        return thread.call(reading)
                .onErrorMap(IOException.class, failure -> unreadable(FileFailureText.of(failure)))
                .publishOn(Schedulers.parallel());
    }

    /** Returns a failure to read the arrangement. */
    static PlanException unreadable(String why) {
        return new PlanException(
                "the arrangement of its shards in the data folder cannot be read, %s: submit the job again"
                        .formatted(why));
    }

    private List<Shard> readShards(long number, int most) throws IOException {
        List<Shard> read = new ArrayList<>();
        long begin = readBegin();
        long next = Math.max(number, begin);
        long end = Math.min(begin + (Files.size(shardFile()) - Long.BYTES) / Shard.BYTES, next + most);
        try (DataInputStream in = open(shardFile(), Long.BYTES + (next - begin) * Shard.BYTES)) {
            for (; next < end; next++) {
                read.add(Shard.read(next, in));
            }
        }
        return read;
    }

    private long readBegin() throws IOException {
        try (DataInputStream in = open(shardFile(), 0)) {
            return in.readLong();
        }
    }

    /** Reads the members of a shard, in their order, from one of them on. */
    Flux<Located> members(long first, long count) {
        return page(first, count)
                .expand(page -> page.left() == 0 ? Mono.empty() : page(page.next(), page.left()))
                .concatMapIterable(Page::members, 1);
    }

    private Mono<Page> page(long place, long left) {
        return read(() -> readPage(place, left));
    }

    private Page readPage(long place, long left) throws IOException {
        int count = (int) Math.min(PAGE, left);
        List<Located> members = new ArrayList<>(count);
        long next = place;
        try (DataInputStream in = open(memberFile(), place)) {
            for (int i = 0; i < count; i++) {
                PackedMember member = PackedMember.read(in);
                members.add(new Located(member, next, left - i));
                next += member.encoded().length;
            }
        }
        return new Page(members, next, left - count);
    }

    private static DataInputStream open(Path file, long place) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel.position(place)), BUFFER));
    }
}
