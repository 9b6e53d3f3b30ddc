package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A list of a tar's members beside it, as NVIDIA DALI's {@code wds2idx} writes it (version 1.2): after a line with the
 * version and the number of samples, a line for each sample, with extension, position, size and name of each of its
 * files. Files whose names begin with a dot are not in it. It is a claim: {@link #confirms} compares it with the
 * archive.
 */
public final class DaliIndex {
    /** The header of a tar before a member's data, in bytes. */
    public static final int HEADER_BYTES = TarHeader.BYTES;

    private static final byte[] VERSION = "v1.2".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_DIGITS = 18;

    /** From this length on, a name in a header may be the beginning of one that a header before it has. */
    private static final int CUT_NAME_BYTES = 99;

    private final byte[] text;
    private final long archiveSize;
    private final ArchiveLimits limits;
    private final MemberConsumer members;

    /** The place in the text behind the word that was read last, and behind the space or line feed that ended it. */
    private int next;

    private DaliIndex(byte[] text, long archiveSize, ArchiveLimits limits, MemberConsumer members) {
        this.text = text;
        this.archiveSize = archiveSize;
        this.limits = limits;
        this.members = members;
    }

    /**
     * Gives the members of a list to a consumer.
     *
     * @param text the whole file
     * @param archiveSize the size of the archive beside it, in bytes
     * @throws ArchiveException if it is no such list, or none of this archive, or if it has names that this form cannot
     *     spell; the positions are of the list. What was given before is of no use then.
     */
    public static void read(ByteBuffer text, long archiveSize, ArchiveLimits limits, MemberConsumer members) {
        byte[] bytes = new byte[text.remaining()];
        text.get(bytes);
        new DaliIndex(bytes, archiveSize, limits, members).read();
    }

    private void read() {
        if (!Arrays.equals(text, 0, skipWord(), VERSION, 0, VERSION.length)) {
            throw ArchiveException.damaged(0, "this is no list of wds2idx in version 1.2");
        }
        long samples = readNumber();
        for (long i = 0; i < samples; i++) {
            if (text[next - 1] != '\n') {
                throw malformed(next);
            }
            do {
                readFile();
            } while (text[next - 1] == ' ');
        }
        if (next != text.length) {
            throw malformed(next);
        }
    }

    private void readFile() {
        skipWord(); // The extension is in the name too.
        int start = next;
        long position = readNumber();
        long size = readNumber();
        boolean isAfterHeader = position >= HEADER_BYTES && position % HEADER_BYTES == 0;
        if (!isAfterHeader || position > archiveSize || size > archiveSize - position) {
            throw ArchiveException.damaged(start, "a file of the list is not within the archive");
        }
        int nameStart = next;
        int nameEnd = skipWord();
        for (int i = nameStart; i < nameEnd; i++) {
            // GNU tar, which makes the list, writes other characters than those of ASCII with backslashes.
            if (text[i] == '\\') {
                throw malformed(i);
            }
        }
        MemberName name = MemberName.of(text, nameStart, nameEnd, limits.nameBytes());
        if (name.hidden() == null) {
            members.member(ArchiveMember.ofTar(name.text(), position, size));
        } else {
            members.hidden(name.hidden());
        }
    }

    private long readNumber() {
        int start = next;
        int end = skipWord();
        long value = 0;
        for (int i = start; i < end; i++) {
            if (text[i] < '0' || text[i] > '9') {
                throw malformed(start);
            }
            value = value * 10 + text[i] - '0';
        }
        if (end == start || end - start > MAX_DIGITS) {
            throw malformed(start);
        }
        return value;
    }

    /** Skips a word, which may be empty, and what ends it; returns its end. */
    private int skipWord() {
        int end = next;
        while (end < text.length && text[end] != ' ' && text[end] != '\n') {
            end++;
        }
        if (end == text.length) {
            throw malformed(next);
        }
        next = end + 1;
        return end;
    }

    private static ArchiveException malformed(int position) {
        return ArchiveException.damaged(position, "the list is malformed");
    }

    /**
     * Returns whether the archive has the member that the list names.
     *
     * @param header {@link #HEADER_BYTES} of the archive that end where the member's data begin
     */
    public static boolean confirms(ByteBuffer header, ArchiveMember member) {
        byte[] block = new byte[HEADER_BYTES];
        header.get(header.position(), block);
        TarHeader found = new TarHeader(block);
        byte[] name = found.name();
        MemberName checked = MemberName.of(name, 0, name.length, name.length);
        boolean isNamed = name.length < CUT_NAME_BYTES
                ? member.name().equals(checked.text())
                : member.name().startsWith(checked.text());
        return checked.hidden() == null
                && isNamed
                && found.isRegular()
                && found.size() == member.size()
                && found.hasRightChecksum();
    }
}
