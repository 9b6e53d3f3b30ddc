package io.millrace.gateway.archive;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The records of PAX headers that matter to a member: {@code LENGTH KEY=VALUE} and a line feed each. Immutable. */
final class PaxRecords {
    static final PaxRecords NONE = new PaxRecords(null, -1, false);

    /** Digits that an int can hold. */
    private static final int MAX_LENGTH_DIGITS = 9;

    private static final int MAX_SIZE_DIGITS = 18;

    private final byte @Nullable [] path;
    private final long size;
    private final boolean isSparse;

    private PaxRecords(byte @Nullable [] path, long size, boolean isSparse) {
        this.path = path;
        this.size = size;
        this.isSparse = isSparse;
    }

    /** Returns the name of the member, if one is there; not to be changed. */
    byte @Nullable [] path() {
        return path;
    }

    /** Returns the bytes of its data; -1 if the header says so. */
    long size() {
        return size;
    }

    /** Returns whether its data are a sparse file in one of GNU tar's formats. */
    boolean isSparse() {
        return isSparse;
    }

    /**
     * Returns these records, replaced by those of a header that comes after them. A record without a value removes what
     * it names.
     *
     * @param position the place of the records in the archive
     */
    PaxRecords replacedBy(byte[] records, long position) {
        PaxRecords result = this;
        int at = 0;
        // Some writers fill up the header with NULs.
        while (at < records.length && records[at] != 0) {
            int space = indexOf(' ', records, at, Math.min(records.length, at + MAX_LENGTH_DIGITS + 1));
            long length = number(records, at, space);
            int end = (int) Math.min(at + length, records.length + 1L);
            int equals = indexOf('=', records, space + 1, Math.min(end, records.length));
            if (length < 0 || end > records.length || equals < 0 || records[end - 1] != '\n') {
                throw ArchiveException.damaged(position + at, "there is no PAX record where one should be");
            }
            String key = new String(records, space + 1, equals - space - 1, StandardCharsets.ISO_8859_1);
            result = result.with(key, Arrays.copyOfRange(records, equals + 1, end - 1), position + at);
            at = end;
        }
        return result;
    }

    private PaxRecords with(String key, byte[] value, long position) {
        if (key.equals("path")) {
            return new PaxRecords(value.length == 0 ? null : value, size, isSparse);
        }
        if (key.equals("size")) {
            long number = value.length > MAX_SIZE_DIGITS ? -1 : number(value, 0, value.length);
            if (number < 0 && value.length > 0) {
                throw ArchiveException.damaged(position, "the size of a PAX record is no number");
            }
            return new PaxRecords(path, number, isSparse);
        }
        return key.startsWith("GNU.sparse.") ? new PaxRecords(path, size, true) : this;
    }

    /** Returns the number of decimal digits in a range; -1 if there is anything else, or nothing. */
    private static long number(byte[] bytes, int from, int to) {
        if (to <= from) {
            return -1;
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    private static int indexOf(char character, byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == character) {
                return i;
            }
        }
        return -1;
    }
}
