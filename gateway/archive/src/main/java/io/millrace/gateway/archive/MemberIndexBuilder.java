package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A collector of the members of one archive, from which their index is made. Not thread-safe. */
public final class MemberIndexBuilder implements MemberConsumer {
    /** How far a look-up goes. Of names that share a hash, which whoever makes an archive can choose, most get lost. */
    private static final int PROBES = 32;

    /** Spreads hashes that are close together over all places: 2^32 divided by the golden ratio. */
    private static final int SPREAD = 0x9e37_79b9;

    private final ArchiveFormat format;
    private final ArchiveLimits limits;
    private final int width;
    private final Map<HiddenReason, Long> hidden = new EnumMap<>(HiddenReason.class);

    /** Rows and names as they are in the index, but in the order of the archive. */
    private ByteBuffer rows = ByteBuffer.allocate(1024);

    private byte[] names = new byte[1024];
    private int nameBytes;
    private int count;

    /** 1 + the numbers of members, at places by the hashes of their names; at most half full. Look-ups make it grow. */
    private int[] places = new int[64];

    /** The number of members that have a place, or found none. */
    private int placed;

    public MemberIndexBuilder(ArchiveFormat format, ArchiveLimits limits) {
        this.format = format;
        this.limits = limits;
        width = MemberIndex.width(format);
    }

    /**
     * Adds a member. Of several with one name the first stays, and the others are hidden as
     * {@link HiddenReason#DUPLICATE}.
     *
     * @throws ArchiveException if these are more members than an index may have
     */
    @Override
    public void member(ArchiveMember member) {
        byte[] name = member.name().getBytes(StandardCharsets.UTF_8);
        if (count == limits.members()) {
            throw ArchiveException.tooLarge(
                    member.position(), "the archive has more members than the %d that are indexed".formatted(count));
        }
        if ((long) rows.position() + width + nameBytes + name.length > limits.indexBytes()) {
            throw ArchiveException.tooLarge(
                    member.position(), "the index needs more than %d bytes".formatted(limits.indexBytes()));
        }
        if (names.length - nameBytes < name.length) {
            names = Arrays.copyOf(names, nameBytes + Math.max(nameBytes / 2, name.length));
        }
        System.arraycopy(name, 0, names, nameBytes, name.length);
        nameBytes += name.length;
        if (rows.remaining() < width) {
            rows = ByteBuffer.allocate(rows.position() + rows.position() / 2 + width)
                    .put(rows.flip());
        }
        rows.putLong(member.position()).putLong(member.size()).putInt(nameBytes);
        if (format == ArchiveFormat.ZIP) {
            rows.putLong(member.storedSize()).putInt(member.crc32().orElse(0)).put((byte)
                    (member.isDeflated() ? 1 : 0));
        }
        count++;
    }

    @Override
    public void hidden(HiddenReason reason) {
        hidden.merge(reason, 1L, Long::sum);
    }

    /**
     * Returns an index of one member, the first that was added with this name; empty if none was, or if too many names
     * share its hash. Costs the same however many members there are, but for those that were added since the last call.
     */
    public Optional<MemberIndex> only(String name) {
        placeAll();
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int place = placeOf(wanted, 0, wanted.length);
        return place < 0 || places[place] == 0
                ? Optional.empty()
                : Optional.of(indexOf(new int[] {places[place] - 1}, 1, 0, null));
    }

    private void placeAll() {
        if (places.length < 2 * count) {
            places = new int[4 * Integer.highestOneBit(count)];
            placed = 0;
        }
        for (; placed < count; placed++) {
            int place = placeOf(names, nameStart(placed), nameEnd(placed));
            if (place >= 0 && places[place] == 0) {
                places[place] = placed + 1;
            }
        }
    }

    /** Returns the place of the first member with a name, or else an empty one for it; -1 if neither is near. */
    private int placeOf(byte[] bytes, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + bytes[i];
        }
        int first = (hash * SPREAD) >>> (Integer.numberOfLeadingZeros(places.length) + 1);
        for (int i = 0; i < PROBES; i++) {
            int place = (first + i) & (places.length - 1);
            int number = places[place] - 1;
            if (number < 0 || Arrays.equals(names, nameStart(number), nameEnd(number), bytes, from, to)) {
                return place;
            }
        }
        return -1;
    }

    /** Returns the index of an archive that was read to its end. */
    public MemberIndex build() {
        return indexOf(null);
    }

    /**
     * Returns the index of what was found before the archive could not be read further. Of a zip, members that begin
     * behind the damage are missing: their entries may overlap, which is seen when the directory has been read.
     */
    public MemberIndex build(ArchiveException damage) {
        return indexOf(damage);
    }

    private MemberIndex indexOf(@Nullable ArchiveException damage) {
        int[] order = sorted();
        int distinct = withoutDuplicates(order);
        int right = damage == null || format == ArchiveFormat.TAR
                ? distinct
                : withoutThoseFrom(damage.position(), order, distinct);
        return indexOf(order, right, count - distinct, damage);
    }

    /** @param order the numbers of the members by name, and behind them what is of no use */
    private MemberIndex indexOf(int[] order, int distinct, int duplicates, @Nullable ArchiveException damage) {
        int distinctNameBytes = 0;
        for (int i = 0; i < distinct; i++) {
            distinctNameBytes += nameEnd(order[i]) - nameStart(order[i]);
        }
        byte[] message = damage == null
                ? new byte[0]
                : String.valueOf(damage.getMessage()).getBytes(StandardCharsets.UTF_8);
        int namesAt = MemberIndex.ROWS + distinct * width;
        int messageAt = namesAt + distinctNameBytes;
        ByteBuffer index = ByteBuffer.allocate(messageAt + message.length + MemberIndex.CHECKSUM_BYTES);
        index.putInt(MemberIndex.MAGIC).putInt(format == ArchiveFormat.TAR ? MemberIndex.TAR : MemberIndex.ZIP);
        index.putInt(distinct).putInt(distinctNameBytes);
        index.putInt(damage == null ? 0 : 1 + MemberIndex.KINDS.indexOf(damage.kind()));
        index.putLong(damage == null ? 0 : damage.position()).putInt(message.length);
        for (HiddenReason reason : MemberIndex.REASONS) {
            index.putLong(hidden.getOrDefault(reason, 0L) + (reason == HiddenReason.DUPLICATE ? duplicates : 0));
        }
        int end = 0;
        for (int i = 0; i < distinct; i++) {
            int length = nameEnd(order[i]) - nameStart(order[i]);
            index.put(namesAt + end, names, nameStart(order[i]), length);
            end += length;
            int row = MemberIndex.ROWS + i * width;
            index.put(row, rows, order[i] * width, width).putInt(row + MemberIndex.NAME_END, end);
        }
        index.put(messageAt, message);
        return MemberIndex.sealed(index.rewind());
    }

    /** Returns the numbers of the members by name; of equal names in the order of the archive (merge sort). */
    private int[] sorted() {
        int[] from = IntStream.range(0, count).toArray();
        int[] to = new int[count];
        for (int run = 1; run < count; run *= 2) {
            for (int start = 0; start < count; start += 2 * run) {
                merge(from, to, start, Math.min(start + run, count), Math.min(start + 2 * run, count));
            }
            int[] merged = to;
            to = from;
            from = merged;
        }
        return from;
    }

    private void merge(int[] from, int[] to, int start, int middle, int end) {
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takesLeft = right == end || (left < middle && compare(from[left], from[right]) <= 0);
            to[i] = takesLeft ? from[left++] : from[right++];
        }
    }

    private int compare(int one, int other) {
        return Arrays.compareUnsigned(names, nameStart(one), nameEnd(one), names, nameStart(other), nameEnd(other));
    }

    /** Moves the first of each name to the beginning, and returns how many there are. */
    private int withoutDuplicates(int[] order) {
        int distinct = 0;
        for (int i = 0; i < order.length; i++) {
            if (i == 0 || compare(order[distinct - 1], order[i]) != 0) {
                order[distinct++] = order[i];
            }
        }
        return distinct;
    }

    /** Moves the members before a position to the beginning, and returns how many there are. */
    private int withoutThoseFrom(long position, int[] order, int distinct) {
        int before = 0;
        for (int i = 0; i < distinct; i++) {
            if (rows.getLong(order[i] * width) < position) {
                order[before++] = order[i];
            }
        }
        return before;
    }

    private int nameStart(int number) {
        return number == 0 ? 0 : nameEnd(number - 1);
    }

    private int nameEnd(int number) {
        return rows.getInt(number * width + MemberIndex.NAME_END);
    }
}
