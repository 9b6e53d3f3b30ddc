package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/**
 * The members of an archive, sorted by the bytes of their names in UTF-8, as S3 sorts keys. It takes 20 bytes and the
 * name for each member of a tar, 33 and the name for each of a zip, and is the same in memory as encoded. Immutable;
 * numbers of members count from 0 in that order.
 *
 * <pre>
 * 0    4  magic and version
 * 4    4  format: 0 tar, 1 zip
 * 8    4  number of members
 * 12   4  bytes of all names
 * 16   4  1 + the kind of the damage; 0 if there is none
 * 20   8  position of the damage
 * 28   4  bytes of the damage's message
 * 32   8  entries hidden for each reason
 * 144     a row for each member: position (8), size of the content (8), where its name ends (4);
 *         in a zip also size of the data (8), CRC-32 (4), whether it is deflated (1)
 *         the names, the message, and a CRC-32C (4) of all before it
 * </pre>
 */
public final class MemberIndex {
    static final int MAGIC = 0x4d494401;
    static final int TAR = 0;
    static final int ZIP = 1;
    static final int HIDDEN = 32;
    static final List<HiddenReason> REASONS = List.of(HiddenReason.values());
    static final List<ArchiveException.Kind> KINDS = List.of(ArchiveException.Kind.values());
    static final int ROWS = HIDDEN + REASONS.size() * Long.BYTES;
    static final int CHECKSUM_BYTES = Integer.BYTES;

    /** Places in a row. */
    static final int SIZE = 8;

    static final int NAME_END = 16;
    static final int STORED_SIZE = 20;
    static final int CRC32 = 28;
    static final int DEFLATED = 32;

    private final ByteBuffer bytes;
    private final ArchiveFormat format;
    private final int size;
    private final int width;
    private final int names;

    private MemberIndex(ByteBuffer bytes) {
        this.bytes = bytes;
        format = bytes.getInt(4) == TAR ? ArchiveFormat.TAR : ArchiveFormat.ZIP;
        size = bytes.getInt(8);
        width = width(format);
        names = ROWS + size * width;
    }

    /** Returns the bytes of a row. */
    static int width(ArchiveFormat format) {
        return format == ArchiveFormat.TAR ? STORED_SIZE : DEFLATED + 1;
    }

    /** Completes an index with its checksum. */
    static MemberIndex sealed(ByteBuffer bytes) {
        bytes.putInt(bytes.limit() - CHECKSUM_BYTES, checksum(bytes));
        return new MemberIndex(bytes);
    }

    /**
     * Returns the index that {@link #encoded()} gave; empty if the bytes are damaged, of another version, or no index.
     * Goes through all members.
     *
     * @param encoded its remaining bytes are the index, and belong to it from then on
     */
    public static Optional<MemberIndex> decode(ByteBuffer encoded) {
        ByteBuffer bytes = encoded.slice();
        boolean isWhole = bytes.limit() >= ROWS + CHECKSUM_BYTES
                && bytes.getInt(0) == MAGIC
                && bytes.getInt(bytes.limit() - CHECKSUM_BYTES) == checksum(bytes)
                && isConsistent(bytes);
        return isWhole ? Optional.of(new MemberIndex(bytes)) : Optional.empty();
    }

    /** Returns whether all that is read later lies within the bytes, whoever made them. */
    private static boolean isConsistent(ByteBuffer bytes) {
        int format = bytes.getInt(4);
        int members = bytes.getInt(8);
        int nameBytes = bytes.getInt(12);
        int kind = bytes.getInt(16);
        int messageBytes = bytes.getInt(28);
        boolean isKnown = (format == TAR || format == ZIP) && kind >= 0 && kind <= KINDS.size();
        if (!isKnown || members < 0 || nameBytes < 0 || messageBytes < 0) {
            return false;
        }
        int width = width(format == TAR ? ArchiveFormat.TAR : ArchiveFormat.ZIP);
        if (ROWS + (long) members * width + nameBytes + messageBytes + CHECKSUM_BYTES != bytes.limit()) {
            return false;
        }
        int nameEnd = 0;
        for (int row = ROWS; row < ROWS + members * width; row += width) {
            int next = bytes.getInt(row + NAME_END);
            if (next < nameEnd || next > nameBytes || bytes.getLong(row) < 0 || bytes.getLong(row + SIZE) < 0) {
                return false;
            }
            nameEnd = next;
        }
        return nameEnd == nameBytes;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.slice(0, bytes.limit() - CHECKSUM_BYTES));
        return (int) checksum.getValue();
    }

    /** Returns the index as bytes that {@link #decode} takes: a read-only view of it. */
    public ByteBuffer encoded() {
        return bytes.asReadOnlyBuffer().rewind();
    }

    /** Returns the bytes of it, in memory as encoded. */
    public int bytes() {
        return bytes.limit();
    }

    public ArchiveFormat format() {
        return format;
    }

    /** Returns the number of members. */
    public int size() {
        return size;
    }

    /** Returns the number of the member of a name, or -1; allocates nothing. */
    public int find(String name) {
        int number = ceiling(name);
        return number < size && compare(number, name) == 0 ? number : -1;
    }

    /**
     * Returns the number of the first member whose name is the given one or sorts after it; {@link #size()} if there is
     * none. Allocates nothing.
     */
    public int ceiling(String name) {
        int from = 0;
        int to = size;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (compare(middle, name) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /**
     * Returns the numbers of the members of a sample, in the order in which they are in the archive; none if there is
     * no such sample. Of a file that is a sample of its own that is its number, unless others have its name up to a
     * dot. Looks at so many names and folders at most, however many begin like the sample.
     *
     * @param sample the name of the sample: that of its members up to the first dot, without that
     * @return empty if the sample, with the folders beside it whose names begin like it, is larger than
     *     {@link SampleName#MOST_MEMBERS}
     */
    public Optional<List<Integer>> sample(String sample) {
        String dotted = sample + '.';
        List<Integer> members = new ArrayList<>();
        int number = SampleName.of(dotted + 'x').equals(dotted) ? ceiling(dotted) : size;
        for (int steps = 0; number < size; steps++) {
            String name = name(number);
            if (!name.startsWith(dotted)) {
                break;
            }
            if (steps == SampleName.MOST_MEMBERS) {
                return Optional.empty();
            }
            int slash = name.indexOf('/', dotted.length());
            if (slash < 0) {
                members.add(number);
                number++;
            } else {
                // Behind all of the folder: nothing sorts between a slash and a zero.
                number = ceiling(name.substring(0, slash) + '0');
            }
        }
        int alone = members.isEmpty() && SampleName.of(sample).equals(sample) ? find(sample) : -1;
        if (alone >= 0) {
            members.add(alone);
        }
        members.sort(Comparator.comparingLong(this::position));
        return Optional.of(members);
    }

    /** Compares the name of a member with another one, whose bytes in UTF-8 are made one by one. */
    private int compare(int number, String other) {
        int at = nameStart(number);
        int end = nameEnd(number);
        for (int i = 0; i < other.length(); ) {
            int character = other.codePointAt(i);
            i += Character.charCount(character);
            int length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
            for (int k = 0; k < length; k++) {
                int difference = at == end ? -1 : (bytes.get(at) & 0xff) - utf8(character, length, k);
                if (difference != 0) {
                    return difference;
                }
                at++;
            }
        }
        return end - at;
    }

    private static int utf8(int character, int length, int number) {
        int bits = character >> (6 * (length - 1 - number));
        if (number > 0) {
            return 0x80 | (bits & 0x3f);
        }
        return length == 1 ? character : ((0xf00 >> length) & 0xff) | bits;
    }

    public String name(int number) {
        byte[] name = new byte[nameEnd(number) - nameStart(number)];
        bytes.get(nameStart(number), name);
        return new String(name, StandardCharsets.UTF_8);
    }

    /** Returns {@link ArchiveMember#position()} of a member. */
    public long position(int number) {
        return bytes.getLong(row(number));
    }

    /** Returns the bytes of a member's content. */
    public long contentSize(int number) {
        return bytes.getLong(row(number) + SIZE);
    }

    /** Returns a member with all that is known of it. */
    public ArchiveMember member(int number) {
        if (format == ArchiveFormat.TAR) {
            return ArchiveMember.ofTar(name(number), position(number), contentSize(number));
        }
        int row = row(number);
        return new ArchiveMember(
                name(number),
                position(number),
                bytes.getLong(row + STORED_SIZE),
                contentSize(number),
                bytes.get(row + DEFLATED) != 0,
                OptionalInt.of(bytes.getInt(row + CRC32)));
    }

    /** Returns how many entries are hidden for a reason. */
    public long hidden(HiddenReason reason) {
        return bytes.getLong(HIDDEN + REASONS.indexOf(reason) * Long.BYTES);
    }

    /** Returns why members are missing, if the archive could not be read to its end: names not found may be there. */
    public Optional<ArchiveException> damage() {
        int kind = bytes.getInt(16);
        if (kind == 0) {
            return Optional.empty();
        }
        byte[] message = new byte[bytes.getInt(28)];
        bytes.get(bytes.limit() - CHECKSUM_BYTES - message.length, message);
        return Optional.of(new ArchiveException(
                KINDS.get(kind - 1), bytes.getLong(20), new String(message, StandardCharsets.UTF_8)));
    }

    private int row(int number) {
        return ROWS + number * width;
    }

    private int nameStart(int number) {
        return number == 0 ? names : nameEnd(number - 1);
    }

    private int nameEnd(int number) {
        return names + bytes.getInt(row(number) + NAME_END);
    }
}
