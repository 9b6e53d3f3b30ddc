package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes the arrangement of a pack from its listing, or from names in any order: groups the objects into samples, and
 * cuts these into shards, shuffled by a {@link SampleShuffle} or in the order in which they come. Each method blocks on
 * the disk, not for long; used by one thread at a time.
 */
final class ArrangementWriter implements AutoCloseable {
    /** The most objects of a pack; some 100 bytes of each are on the disk, twice that while they are shuffled. */
    static final int MOST_OBJECTS = 10_000_000;

    /** The bytes that arrangements leave on their disk, where all jobs store how far they are. */
    static final long LEAST_ROOM = 256 << 20;

    private final ShardArrangement arrangement;
    private final JobSpec.Shards shards;
    private final int stripped;
    private final boolean isListed;
    private final FileStore disk;
    private final SpoolFile memberFile;
    private final SpoolFile shardFile;
    private final ShardCutter cutter;
    private final SampleGrouping samples = new SampleGrouping();
    private final SampleShuffle shuffle;
    private long objects;

    /**
     * Begins an arrangement.
     *
     * @param stripped see {@link TarLayout}
     * @param isListed whether the objects come in the order of their keys; else the parts of a sample may be apart
     * @param begin number of the first shard
     */
    ArrangementWriter(ShardArrangement arrangement, JobSpec.Shards shards, int stripped, boolean isListed, long begin)
            throws IOException {
        this.arrangement = arrangement;
        this.shards = shards;
        this.stripped = stripped;
        this.isListed = isListed;
        this.disk = Files.getFileStore(arrangement.folder());
        this.memberFile = SpoolFile.begin(arrangement.memberFile());
        this.shardFile = SpoolFile.begin(DurableFiles.freshBeside(arrangement.shardFile()));
        this.cutter = new ShardCutter(memberFile.out(), shardFile.out(), shards, stripped);
        // Names that are not shuffled are sorted only to find such as are at several places.
        this.shuffle = new SampleShuffle(
                arrangement, shards, stripped, shards.seed().isPresent() ? cutter::add : sample -> {});
        shardFile.out().writeLong(begin);
    }

    /**
     * Adds objects of the listing, in its order.
     *
     * @throws PlanException if they cannot be packed
     */
    void add(List<PlanItem> items) throws IOException {
        requireRoom(disk, LEAST_ROOM);
        for (PlanItem item : items) {
            PackedMember member = PackedMember.of(item);
            String name = member.key().substring(stripped);
            boolean isFolder = name.isEmpty() || name.endsWith("/");
            if (!isFolder || member.size() > 0) {
                requireName(name, isFolder, member);
                if (++objects > MOST_OBJECTS) {
                    throw new PlanException(
                            "it has more than %d objects: pack them by several prefixes".formatted(MOST_OBJECTS));
                }
                put(samples.add(name, member));
            }
        }
        forceAsTheyGrow();
    }

    /**
     * Requires that a disk has this many bytes left.
     *
     * @throws PlanException if it has less
     */
    static void requireRoom(FileStore disk, long least) throws IOException {
        if (disk.getUsableSpace() < least) {
            throw new PlanException(("the arrangement of its shards would leave less than %d MiB in the data folder:"
                            + " make room there, or cancel packs that are paused or have failed, and resume it")
                    .formatted(least >> 20));
        }
    }

    /** Another name could be that of another member, which it would replace wherever the tar is unpacked. */
    private static void requireName(String name, boolean isFolder, PackedMember member) {
        if (isFolder || name.indexOf('\0') >= 0) {
            throw new PlanException(
                    "no tar has a file of the name of '%s': leave it out by a glob or a regex".formatted(member.key()));
        }
    }

    /** Else the job thread, which all jobs wait for, would force up to a gigabyte in its last step. */
    private void forceAsTheyGrow() throws IOException {
        memberFile.forceAsItGrows();
        shardFile.forceAsItGrows();
    }

    /** Adds the last sample, which nothing of the listing has ended. */
    void endListing() throws IOException {
        put(samples.end());
    }

    private void put(List<PackedMember> sample) throws IOException {
        if (sample.isEmpty()) {
            return;
        }
        if (!isListed) {
            requireDistinct(sample);
        }
        if (shards.seed().isEmpty()) {
            cutter.add(sample);
        }
        if (shards.seed().isPresent() || !isListed) {
            shuffle.add(sample);
        }
    }

    /** Of two files of one name a reader would get one, or fail. */
    private static void requireDistinct(List<PackedMember> sample) {
        Set<String> keys = new HashSet<>();
        for (PackedMember member : sample) {
            if (!keys.add(member.key())) {
                throw new PlanException("it selects '%s' twice: leave one out".formatted(member.key()));
            }
        }
    }

    /**
     * Adds the samples of a slice of the shuffle, by its number from 0, in their order.
     *
     * @throws PlanException if a sample is at several places of a list
     */
    void sort(int number) throws IOException {
        requireRoom(disk, LEAST_ROOM);
        shuffle.sort(number);
        forceAsTheyGrow();
    }

    /**
     * Ends the last shard, and makes the arrangement durable: it is there as a whole, or not at all.
     *
     * @throws PlanException if it has no shard: once it is there, a job that is resumed would list nothing more
     */
    void finish() throws IOException {
        if (objects == 0) {
            throw new PlanException("its selection has no objects: check the bucket, the prefix and the patterns");
        }
        shuffle.end();
        cutter.cut();
        memberFile.sync();
        shardFile.sync();
        Files.move(shardFile.path(), arrangement.shardFile(), StandardCopyOption.ATOMIC_MOVE);
        DurableFiles.syncFolder(arrangement.folder());
    }

    /** Closes the files, and deletes those that nobody needs: all of an arrangement that is not whole. */
    @Override
    public void close() throws IOException {
        memberFile.channel().close();
        shardFile.channel().close();
        if (!Files.exists(arrangement.shardFile())) {
            Files.deleteIfExists(memberFile.path());
            Files.deleteIfExists(shardFile.path());
        }
        shuffle.close();
    }
}
