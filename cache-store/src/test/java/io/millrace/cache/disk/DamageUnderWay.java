package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.metadata.ObjectMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Changes the files of a running cache where a block lies. */
public final class DamageUnderWay {
    private static final int SECTOR = 512;

    private final SharedDiskComponents parts;
    private final Random random;

    /** Ways in which disks, and those who copy them, go wrong. */
    public enum Kind {
        FLIPPED_BIT,
        LOST_SECTOR,
        TORN_RECORD,
        RECORD_OF_ANOTHER_PLACE,
        CHANGED_PLACES,
        OLDER_SECTOR,
        OLDER_RECORD
    }

    private record Place(Segment segment, long start, int bytes) {}

    private DamageUnderWay(SharedDiskComponents parts, Random random) {
        this.parts = parts;
        this.random = random;
    }

    public static DamageUnderWay of(BlockCache cache, Random random) {
        return new DamageUnderWay(BrokenFiles.parts(cache), random);
    }

    /**
     * Damages a block of the first object.
     *
     * @param other where what comes in its place is from
     * @return whether something is not as it was
     */
    public boolean with(Kind kind, ObjectMetadata object, ObjectMetadata other) throws IOException {
        Place place = place(object);
        Place from = place(other);
        if (place == null || from == null) {
            return false;
        }
        return switch (kind) {
            case FLIPPED_BIT -> {
                int at = checked(place);
                byte[] bytes = read(place);
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                yield write(place, bytes);
            }
            case LOST_SECTOR -> sector(place, new byte[SECTOR]);
            case OLDER_SECTOR -> {
                byte[] older = new byte[SECTOR];
                random.nextBytes(older);
                yield sector(place, older);
            }
            case TORN_RECORD -> {
                byte[] bytes = read(place);
                int at = checked(place);
                boolean reported = bytes[at] != 0;
                Arrays.fill(bytes, at, bytes.length, (byte) 0);
                yield reported && write(place, bytes);
            }
            case OLDER_RECORD -> write(place, ofAnotherPlace(read(place)));
            case RECORD_OF_ANOTHER_PLACE -> !place.equals(from) && write(place, read(from));
            case CHANGED_PLACES -> {
                byte[] here = read(place);
                byte[] there = read(from);
                yield !place.equals(from) && write(place, there) && write(from, here);
            }
        };
    }

    /** From now on reads wait for the disk, as far as the cache knows. */
    public void forgetWhatIsInMemory() {
        parts.pageCache().distrustAll();
    }

    /** A record that leads to bytes of the object, chosen at random. */
    private @Nullable Place place(ObjectMetadata object) throws IOException {
        long block = object.blocks() == 1 ? 0 : random.nextLong(object.blocks());
        IndexEntry entry = parts.index().find(parts.hash().of(object.version(), block));
        Segment segment = entry == null ? null : parts.segments().get(entry.segment());
        if (entry == null || segment == null) {
            return null;
        }
        int bytes = (int) (entry.bodyPosition() - entry.start()) + entry.bodyBytes();
        return new Place(segment, entry.start(), bytes);
    }

    /** What the same block was when it lay elsewhere: all of it checks. */
    private static byte[] ofAnotherPlace(byte[] record) {
        ByteBuffer bytes = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
        int beforeBody = RecordHeader.decodeFixed(bytes).orElseThrow().beforeBody();
        bytes.putLong(RecordHeader.PLACE_AT, bytes.getLong(RecordHeader.PLACE_AT) - 1);
        RecordHeader.sign(bytes, beforeBody);
        return record;
    }

    /** A byte of a record that a checksum covers: padding is nobody's. */
    private int checked(Place place) throws IOException {
        byte[] record = read(place);
        RecordHeader header = RecordHeader.decodeFixed(ByteBuffer.wrap(record)).orElseThrow();
        int covered = header.beforeBody() + header.bodyBytes();
        int at = random.nextInt(covered);
        return at < header.beforeBody() ? at : header.bodyStart() + at - header.beforeBody();
    }

    private boolean sector(Place place, byte[] with) throws IOException {
        int at = checked(place);
        byte[] before = read(place);
        byte[] bytes = before.clone();
        int begin = Math.floorDiv(at, SECTOR) * SECTOR;
        System.arraycopy(with, 0, bytes, begin, Math.min(SECTOR, bytes.length - begin));
        return bytes[at] != before[at] && write(place, bytes);
    }

    private static byte[] read(Place place) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(place.bytes());
        Segment.readFully(place.segment().file(), bytes, place.start());
        return bytes.array();
    }

    /** As much as there is room for. */
    private static boolean write(Place place, byte[] bytes) throws IOException {
        int length = Math.min(place.bytes(), bytes.length);
        if (Arrays.equals(Arrays.copyOf(bytes, length), Arrays.copyOf(read(place), length))) {
            return false;
        }
        try (FileChannel file = FileChannel.open(place.segment().path(), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(bytes, 0, length), place.start());
        }
        return true;
    }
}
