package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A decoder of a deflated member, which is fed with its data piece by piece. It gives no more bytes than the directory
 * says, and compares size and CRC-32 before it is {@linkplain #isFinished finished}. It has some 40 KiB outside the
 * heap until it is closed. Not thread-safe.
 */
public final class DeflateDecoder implements AutoCloseable {
    private final ArchiveMember member;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private long position;
    private boolean finished;

    /** @param member one that is deflated */
    public DeflateDecoder(ArchiveMember member) {
        this.member = member;
    }

    /** Returns the bytes of content that were decoded. */
    public long position() {
        return position;
    }

    /** Returns whether the whole content was decoded, and is what the directory says. */
    public boolean isFinished() {
        return finished;
    }

    /**
     * Gives it the next data; only when it {@link #needsInput}.
     *
     * @param data consumed by {@link #decode}, and not to be changed before it is
     */
    public void input(ByteBuffer data) {
        inflater.setInput(data);
    }

    /** Returns whether all data were consumed, though perhaps not all that is in them was decoded. */
    public boolean needsInput() {
        return inflater.needsInput();
    }

    /**
     * Decodes as many bytes as there are data and room for. If there is room left, all that is in the data was decoded.
     *
     * @param into with room for one byte at least
     * @return the number of bytes
     * @throws ArchiveException if the data are damaged, or the content is not what the directory says
     */
    public int decode(ByteBuffer into) {
        int start = into.position();
        int bytes;
        try {
            bytes = inflater.inflate(into);
        } catch (DataFormatException e) {
            throw damaged("the data of a member cannot be decoded: " + e.getMessage());
        }
        checksum.update(into.duplicate().limit(start + bytes).position(start));
        position += bytes;
        if (position > member.size()) {
            throw damaged("a member is longer than the %d bytes that the directory says".formatted(member.size()));
        }
        if (inflater.finished()) {
            finish();
        } else if (bytes == 0 && !inflater.needsInput()) {
            throw damaged("the data of a member need a dictionary, which no zip has");
        }
        return bytes;
    }

    private void finish() {
        if (position < member.size()) {
            throw damaged("a member ends after %d bytes, and the directory says %d".formatted(position, member.size()));
        }
        if (member.crc32().isPresent() && member.crc32().getAsInt() != (int) checksum.getValue()) {
            throw damaged("a member does not have the CRC-32 that the directory says");
        }
        finished = true;
    }

    /**
     * Tells that there are no more data.
     *
     * @throws ArchiveException if the content has not ended
     */
    public void endOfInput() {
        if (!finished) {
            throw damaged("the data of a member end after %d bytes of its content".formatted(position));
        }
    }

    private ArchiveException damaged(String message) {
        return ArchiveException.damaged(member.position(), message);
    }

    /** Frees its memory; it can be called again. */
    @Override
    public void close() {
        inflater.end();
    }
}
