package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;

/**
 * Decodes a request body in S3's aws-chunked format:
 *
 * <pre>
 * header CRLF, bytes, CRLF      each chunk
 * header CRLF                   the last one, of no bytes
 * trailing headers, a line each
 * CRLF
 * </pre>
 *
 * <p>A {@link BoundedLineReader} reads the lines, so buffers may split anywhere, and a body that never ends a line is
 * refused early.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">Defining the chunk body</a>
 */
final class AwsChunkedBodyDecoder implements BodyDecoder {
    /**
     * Minimum size in bytes of all chunks but the last, as in S3. It also bounds the signatures to verify for each
     * byte.
     */
    private static final int SHORTEST = 8192;

    private final WithholdingBodyQueue decoded;
    private final ChunkContentHandler content;
    private final TrailerReader trailer;
    private final boolean signed;
    private final BoundedLineReader lines = new BoundedLineReader(ChunkHeader.LONGEST, false);
    private Expected expected = Expected.HEADER;
    private int chunks;
    private long size = SHORTEST;
    private long missing;

    AwsChunkedBodyDecoder(
            WithholdingBodyQueue decoded, ChunkContentHandler content, TrailerReader trailer, boolean signed) {
        this.decoded = decoded;
        this.content = content;
        this.trailer = trailer;
        this.signed = signed;
    }

    @Override
    public void read(ByteBuf in) throws RequestVerificationException {
        while (in.isReadable()) {
            switch (expected) {
                case HEADER -> header(in);
                case BYTES -> bytes(in);
                case END_OF_CHUNK -> endOfChunk(in);
                case TRAILER -> trailer.read(in);
            }
        }
    }

    @Override
    public void end() throws RequestVerificationException {
        if (expected != Expected.TRAILER) {
            throw PayloadErrors.badFraming();
        }
        trailer.end();
    }

    @Override
    public void release() {
        content.release();
    }

    private void header(ByteBuf in) throws RequestVerificationException {
        String line = lines.read(in);
        if (line == null) {
            return;
        }
        ChunkHeader header = ChunkHeader.parse(line, signed);
        chunks++;
        if (header.isLast()) {
            content.begin(header);
            requireAllBytes();
            expected = Expected.TRAILER;
            return;
        }
        if (size < SHORTEST) {
            throw PayloadErrors.shortChunk(chunks, size);
        }
        if (header.size() > decoded.missing()) {
            throw PayloadErrors.wrongLength();
        }
        content.begin(header);
        size = header.size();
        missing = size;
        expected = Expected.BYTES;
    }

    private void requireAllBytes() throws RequestVerificationException {
        if (decoded.missing() != 0) {
            throw PayloadErrors.wrongLength();
        }
    }

    private void bytes(ByteBuf in) throws RequestVerificationException {
        int length = (int) Math.min(missing, in.readableBytes());
        content.read(in, length);
        missing -= length;
        if (missing == 0) {
            content.end();
            expected = Expected.END_OF_CHUNK;
        }
    }

    private void endOfChunk(ByteBuf in) throws RequestVerificationException {
        String line = lines.read(in);
        if (line == null) {
            return;
        }
        if (!line.isEmpty()) {
            throw PayloadErrors.badFraming();
        }
        expected = Expected.HEADER;
    }

    private enum Expected {
        HEADER,
        BYTES,
        END_OF_CHUNK,
        TRAILER
    }
}
