package io.millrace.backend.s3;

import io.millrace.backend.http.BodyFramer;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadBody.Trailer;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Frames an upload body as aws-chunked with a checksum trailer. All chunks but the last have the same size, so that the
 * length on the wire is known before the first byte: S3 requires it in a header. Buffers are not copied; chunk headers
 * are inserted between them.
 *
 * <pre>
 * 20000\r\n(131,072 bytes)\r\n
 * 20000\r\n(131,072 bytes)\r\n
 * 1f4\r\n(500 bytes)\r\n
 * 0\r\n
 * x-amz-checksum-crc32:AAAAAA==\r\n
 * \r\n
 * </pre>
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">Trailing headers</a>
 */
final class AwsChunkedFraming implements BodyFramer {
    /** The chunk size of the SDK in bytes; S3 requires at least 8 KiB. */
    static final int CHUNK = 128 << 10;

    private static final String CRLF = "\r\n";

    private final long contentLength;
    private final Trailer trailer;
    private final int valueLength;
    private long left;
    private int leftInChunk;

    /**
     * Returns this framing for a body with a trailer, and none for any other.
     *
     * @throws BackendException with {@link FailureKind#UNSUPPORTED} if the trailer is not a checksum of known length
     */
    static BodyFramer of(UploadBody body) {
        return body.trailer()
                .<BodyFramer>map(trailer -> new AwsChunkedFraming(body.length(), trailer))
                .orElseGet(() -> new BodyFramer.Unframed(body.length()));
    }

    /**
     * @throws BackendException with {@link FailureKind#UNSUPPORTED} if the trailer is not a checksum of known length
     */
    AwsChunkedFraming(long contentLength, Trailer trailer) {
        this.contentLength = contentLength;
        this.trailer = trailer;
        this.valueLength = valueLength(trailer.name());
        this.left = contentLength;
    }

    @Override
    public long contentLength() {
        return contentLength;
    }

    @Override
    public long wireLength() {
        long rest = contentLength % CHUNK;
        return contentLength / CHUNK * framed(CHUNK)
                + (rest > 0 ? framed(rest) : 0)
                + ending("A".repeat(valueLength)).length();
    }

    Trailer trailer() {
        return trailer;
    }

    @Override
    public ByteBuf frame(ByteBuf piece) {
        CompositeByteBuf framed = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        while (piece.isReadable()) {
            if (leftInChunk == 0) {
                leftInChunk = (int) Math.min(CHUNK, left);
                framed.addComponent(true, text(Integer.toHexString(leftInChunk) + CRLF));
            }
            int taken = Math.min(leftInChunk, piece.readableBytes());
            framed.addComponent(true, piece.readRetainedSlice(taken));
            leftInChunk -= taken;
            left -= taken;
            if (leftInChunk == 0) {
                framed.addComponent(true, text(CRLF));
            }
        }
        piece.release();
        return framed;
    }

    @Override
    public ByteBuf end() {
        String value = trailer.value().get();
        if (value.length() != valueLength) {
            throw new BackendException(
                    FailureKind.INVALID_REQUEST, "%s has %d characters".formatted(trailer.name(), value.length()));
        }
        return text(ending(value));
    }

    private String ending(String value) {
        return "0" + CRLF + trailer.name() + ":" + value + CRLF + CRLF;
    }

    private static long framed(long size) {
        return Long.toHexString(size).length() + 2L + size + 2L;
    }

    private static int valueLength(String name) {
        int length = ChecksumAlgorithm.ofHeader(name)
                .map(ChecksumAlgorithm::length)
                .orElseThrow(
                        () -> new BackendException(FailureKind.UNSUPPORTED, "not a trailer of an S3 request: " + name));
        return (length + 2) / 3 * 4;
    }

    /** Allocates off the heap like the body's buffers: Netty copies a mixture before it writes it. */
    private static ByteBuf text(String text) {
        ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(text.length(), text.length());
        bytes.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        return bytes;
    }
}
