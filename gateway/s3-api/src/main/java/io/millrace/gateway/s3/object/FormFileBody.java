package io.millrace.gateway.s3.object;

import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.async.LastPieceGuard;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/**
 * Streams the file in a browser upload form to its writer. The last bytes are held back until exactly the closing
 * boundary follows the file.
 */
final class FormFileBody {
    private final Subscription upstream;
    private final long length;
    private final byte[] closing;
    private final byte[] tail;
    private final BoundaryFinder boundary;
    private final ReceivedPieces arrived;
    private long left;
    private int tailBytes;

    /**
     * @param length the length of the file, in bytes
     * @param closing the expected closing boundary
     */
    FormFileBody(Subscription upstream, long length, byte[] closing) {
        this.upstream = upstream;
        this.arrived = new ReceivedPieces(upstream);
        this.length = length;
        this.left = length;
        this.closing = closing;
        this.tail = new byte[closing.length];
        this.boundary = new BoundaryFinder(Arrays.copyOf(closing, closing.length - "--\r\n".length()));
    }

    /** Returns the file. The one subscriber owns the pieces. */
    Flux<ByteBuf> pieces() {
        return LastPieceGuard.of(arrived.handle(this::takeFile), length, this::requireClosing)
                .onErrorMap(LastPieceGuard.WrongLengthException.class, wrong -> notClosed())
                .doOnError(malformed -> upstream.cancel());
    }

    void onNext(ByteBuf piece) {
        arrived.onNext(piece);
    }

    void onError(Throwable broken) {
        arrived.onError(broken);
    }

    void onComplete() {
        arrived.onComplete();
    }

    /** Passes on what belongs to the file, and compares what follows it. */
    private void takeFile(ByteBuf piece, SynchronousSink<ByteBuf> file) {
        int ofFile = (int) Math.min(left, piece.readableBytes());
        ByteBuf bytes = piece.readRetainedSlice(ofFile);
        left -= ofFile;
        int after = piece.readableBytes();
        boolean isTooLong = tailBytes + after > tail.length;
        if (!isTooLong) {
            piece.readBytes(tail, tailBytes, after);
            tailBytes += after;
        }
        piece.release();
        if (boundary.isFoundIn(bytes)) {
            bytes.release();
            file.error(UploadFormFields.malformed("the file must be its last part"));
        } else if (isTooLong) {
            bytes.release();
            file.error(UploadFormFields.malformed("something follows its closing boundary"));
        } else if (ofFile == 0) {
            bytes.release();
        } else {
            file.next(bytes);
        }
    }

    private void requireClosing() {
        if (!Arrays.equals(tail, closing)) {
            throw notClosed();
        }
    }

    private static S3Exception notClosed() {
        return UploadFormFields.malformed("it does not end with its closing boundary after the file");
    }
}
