package io.millrace.backend.gcs;

import io.millrace.backend.http.BodyFramer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The framing of an upload in one request: the object's metadata as JSON, then its bytes. The server creates nothing
 * before it has the boundary at the end.
 *
 * @see <a href="https://cloud.google.com/storage/docs/uploading-objects#multipart-upload-json">Multipart upload</a>
 */
final class MultipartRelatedFraming implements BodyFramer {
    private final String boundary;
    private final byte[] head;
    private final byte[] tail;
    private final long length;
    private boolean begun;

    /**
     * @param contentType of the object; may be empty
     * @param length bytes of the object
     */
    MultipartRelatedFraming(byte[] metadata, String contentType, long length) {
        this.length = length;
        // Random, because the bytes of an object may contain those of any fixed boundary.
        this.boundary = "millrace-%016x%016x"
                .formatted(
                        ThreadLocalRandom.current().nextLong(),
                        ThreadLocalRandom.current().nextLong());
        String type = contentType.isEmpty() ? "" : "Content-Type: " + contentType + "\r\n";
        this.head = concatenated(
                "--%s\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n".formatted(boundary),
                metadata,
                "\r\n--%s\r\n%s\r\n".formatted(boundary, type));
        this.tail = "\r\n--%s--\r\n".formatted(boundary).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the value of the {@code Content-Type} header. */
    String contentType() {
        return "multipart/related; boundary=" + boundary;
    }

    @Override
    public long contentLength() {
        return length;
    }

    @Override
    public long wireLength() {
        return head.length + length + tail.length;
    }

    @Override
    public ByteBuf frame(ByteBuf piece) {
        if (begun) {
            return piece;
        }
        begun = true;
        return Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(head), piece);
    }

    /** The end may be asked for before the last piece. */
    @Override
    public ByteBuf end() {
        return length > 0 ? Unpooled.wrappedBuffer(tail) : Unpooled.wrappedBuffer(head, tail);
    }

    private static byte[] concatenated(String first, byte[] second, String third) {
        byte[] start = first.getBytes(StandardCharsets.ISO_8859_1);
        byte[] end = third.getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[start.length + second.length + end.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(second, 0, all, start.length, second.length);
        System.arraycopy(end, 0, all, start.length + second.length, end.length);
        return all;
    }
}
