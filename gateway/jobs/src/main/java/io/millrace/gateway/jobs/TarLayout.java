package io.millrace.gateway.jobs;

import io.millrace.gateway.archive.TarEntryHeader;

/**
 * The layout of a tar of members, one after another: a pure function of their names and sizes. Used by one thread at a
 * time.
 */
final class TarLayout {
    private final int stripped;
    private long end;

    /** @param stripped characters at the beginning of each key that are not part of its name in the tar */
    TarLayout(int stripped) {
        this(stripped, 0);
    }

    /** Goes on at a place where a member begins, see {@link Placed}. */
    TarLayout(int stripped, long begin) {
        this.stripped = stripped;
        this.end = begin;
    }

    /**
     * A member in its place.
     *
     * @param name in the tar
     * @param begin place of the lead
     * @param lead the bytes before the content: those that fill up the content before it, and the header
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Placed(PackedMember member, String name, long begin, byte[] lead) {
        /** Returns the place of the first byte of the content. */
        long content() {
            return begin + lead.length;
        }

        /** Returns the place behind the last byte of the content. */
        long end() {
            return content() + member.size();
        }
    }

    /** Returns the name of a member in a tar. */
    String name(PackedMember member) {
        return member.key().substring(stripped);
    }

    /** Returns the bytes by which a member enlarges any tar. */
    long bytes(PackedMember member) {
        long size = member.size();
        return TarEntryHeader.of(name(member), size).length + size + TarEntryHeader.padding(size);
    }

    /** Places the next member. */
    Placed place(PackedMember member) {
        String name = name(member);
        byte[] header = TarEntryHeader.of(name, member.size());
        int padding = TarEntryHeader.padding(end);
        byte[] lead = new byte[padding + header.length];
        System.arraycopy(header, 0, lead, padding, header.length);
        Placed placed = new Placed(member, name, end, lead);
        end = placed.end();
        return placed;
    }

    /** Returns the place behind the content of the last member. */
    long end() {
        return end;
    }

    /** Returns the zeros that end the tar. */
    byte[] tail() {
        return new byte[TarEntryHeader.padding(end) + TarEntryHeader.END];
    }

    /** Returns the bytes of the whole tar. */
    long size() {
        return end + TarEntryHeader.padding(end) + TarEntryHeader.END;
    }
}
