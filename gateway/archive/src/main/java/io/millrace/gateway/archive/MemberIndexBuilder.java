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
    private final ArchiveFormat format;
    private final ArchiveLimits limits;
    private final int width;
    private final Map<HiddenReason, Long> hidden = new EnumMap<>(HiddenReason.class);

    /** Rows and names as they are in the index, but in the order of the archive. */
    private ByteBuffer rows = ByteBuffer.allocate(1024);

    private byte[] names = new byte[1024];
    private int nameBytes;
    private int count;

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
     * Returns an index of one member, the first that was added with this name; empty if none was. Looks at each member:
     * a map of the names would take more memory than the index.
     */
    public Optional<MemberIndex> only(String name) {
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int start = 0;
        for (int number = 0; number < count; number++) {
            int end = nameEnd(number);
            if (end - start == wanted.length && Arrays.equals(names, start, end, wanted, 0, wanted.length)) {
                return Optional.of(indexOf(new int[] {number}, 1, 0, null));
            }
            start = end;
        }
        return Optional.empty();
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
