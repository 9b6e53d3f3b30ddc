package io.millrace.gateway.jobs;

import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.archive.SampleName;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.PlanException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shuffles samples by a seed: orders them by SHA-256 of seed and name. They are spread over {@value #SLICES} files by
 * the first byte of that, and then each file is sorted in memory.
 *
 * <p>With a window it is runs of neighbours that are ordered so, by seed and number, and {@value #RUNS} of them after
 * another are mixed: samples that lie together in the source are read at about the same time then. One slice and one
 * window are in memory. Each method blocks on the disk, not for long; used by one thread at a time.
 */
final class SampleShuffle implements AutoCloseable {
    static final int SLICES = 256;

    /** The runs of neighbours in a window, which are from anywhere in the source. */
    static final int RUNS = 16;

    /** The most bytes of a slice, which keys reach only if they were chosen to have one place, and of a window. */
    static final int MOST_IN_MEMORY = 64 << 20;

    private static final int BUFFER = 8 << 10;

    private static final Comparator<Shuffled> ORDER = Comparator.comparing(Shuffled::place, Long::compareUnsigned)
            .thenComparing(shuffled -> shuffled.members().get(0).key(), ObjectKey.UTF8_ORDER);

    private final ShardArrangement arrangement;
    private final long seed;
    private final int run;
    private final int stripped;
    private final Receiver out;
    private final long most;
    private final Map<Integer, SpoolFile> slices = new HashMap<>();
    private final List<Shuffled> window = new ArrayList<>();
    private long windowBytes;
    private long added;

    /** The receiver of the samples in their order. */
    interface Receiver {
        void add(List<PackedMember> sample) throws IOException;
    }

    /** A sample with its place in the order. */
    private record Shuffled(long place, List<PackedMember> members) {
        long bytes() {
            return members.stream().mapToLong(member -> member.encoded().length).sum();
        }
    }

    /**
     * Creates a shuffle.
     *
     * @param arrangement that has the slices
     * @param shards whose seed is 0 if they have none
     * @param stripped see {@link TarLayout}
     */
    SampleShuffle(ShardArrangement arrangement, JobSpec.Shards shards, int stripped, Receiver out) {
        this(arrangement, shards, stripped, out, MOST_IN_MEMORY);
    }

    /**
     * Creates a shuffle.
     *
     * @param most bytes of a slice, and of a window
     */
    SampleShuffle(ShardArrangement arrangement, JobSpec.Shards shards, int stripped, Receiver out, long most) {
        this.arrangement = arrangement;
        this.seed = shards.seed().orElse(0);
        this.run = shards.window().orElse(0) / RUNS;
        this.stripped = stripped;
        this.out = out;
        this.most = most;
    }

    /** Adds a sample to the slice that has its place. */
    void add(List<PackedMember> sample) throws IOException {
        long place = run > 0 ? place("run " + added / run) : place(sample);
        added++;
        DataOutputStream slice = slice((int) (place >>> (Long.SIZE - Byte.SIZE)));
        slice.writeLong(place);
        slice.writeInt(sample.size());
        for (PackedMember member : sample) {
            slice.write(member.encoded());
        }
    }

    /** Returns the place of a sample in the order of the seed: the same in every bucket and below every prefix. */
    private long place(List<PackedMember> sample) {
        return place(nameOf(sample));
    }

    private long place(String name) {
        return ByteBuffer.wrap(HashDigest.sha256((seed + "\n" + name).getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }

    private String nameOf(List<PackedMember> sample) {
        return SampleName.of(sample.get(0).key().substring(stripped));
    }

    private DataOutputStream slice(int number) throws IOException {
        SpoolFile open = slices.get(number);
        if (open == null) {
            open = SpoolFile.begin(arrangement.sliceFile(number));
            slices.put(number, open);
        }
        return open.out();
    }

    /**
     * Passes on the samples of a slice, by its number from 0, in their order. After all slices comes {@link #end}.
     *
     * @throws PlanException if two samples have one name, or there are too many of one place
     */
    void sort(int number) throws IOException {
        SpoolFile slice = slices.get(number);
        if (slice == null) {
            return;
        }
        slice.out().close();
        String previous = "";
        for (Shuffled sample : sorted(slice.path())) {
            String name = nameOf(sample.members());
            if (name.equals(previous)) {
                throw new PlanException(
                        "the files of sample '%s' are at several places of the list: name them one after another"
                                .formatted(name));
            }
            previous = name;
            if (run > 0) {
                mix(sample);
            } else {
                out.add(sample.members());
            }
        }
        Files.delete(slice.path());
        slices.remove(number);
    }

    private List<Shuffled> sorted(Path slice) throws IOException {
        List<Shuffled> sorted = new ArrayList<>();
        long left = Files.size(slice);
        if (left > most) {
            throw new PlanException(
                    "its samples cannot be shuffled so: choose another seed, or a smaller window if it has one");
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(slice), BUFFER))) {
            while (left > 0) {
                long place = in.readLong();
                int count = in.readInt();
                left -= Long.BYTES + Integer.BYTES;
                List<PackedMember> members = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    PackedMember member = PackedMember.read(in);
                    left -= member.encoded().length;
                    members.add(member);
                }
                sorted.add(new Shuffled(place, members));
            }
        }
        sorted.sort(ORDER);
        return sorted;
    }

    /** Adds a sample to the window, whose place in that is by its name. */
    private void mix(Shuffled sample) throws IOException {
        windowBytes += sample.bytes();
        if (windowBytes > most) {
            throw new PlanException("a window of its samples has too many files: choose a smaller one");
        }
        window.add(new Shuffled(place(sample.members()), sample.members()));
        if (window.size() == run * RUNS) {
            end();
        }
    }

    /** Passes on the samples of the last window. */
    void end() throws IOException {
        window.sort(ORDER);
        for (Shuffled sample : window) {
            out.add(sample.members());
        }
        window.clear();
        windowBytes = 0;
    }

    /** Closes the slices that have not been sorted, and deletes them. */
    @Override
    public void close() throws IOException {
        for (SpoolFile slice : slices.values()) {
            slice.channel().close();
            Files.deleteIfExists(slice.path());
        }
        slices.clear();
    }
}
