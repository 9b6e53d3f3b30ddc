package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Computes a checksum of a body while it is streamed and adds it as a trailer, so that the backend verifies and stores
 * it.
 */
final class ChecksummingBody {
    private final ChecksumDigest digest;
    private long left;
    private volatile @Nullable String value;

    private ChecksummingBody(ChecksumDigest digest, long length) {
        this.digest = digest;
        this.left = length;
        this.value = length == 0 ? digest.base64() : null;
    }

    /** Returns the body with its checksum as the trailer. */
    static UploadBody of(UploadBody body, ChecksumAlgorithm algorithm) {
        ChecksummingBody sum = new ChecksummingBody(algorithm.newDigest(), body.length());
        return new UploadBody(
                body.length(),
                body.pieces().doOnNext(sum::add),
                Optional.of(new UploadBody.Trailer(algorithm.headerName(), sum::value)));
    }

    private void add(ByteBuf piece) {
        digest.update(piece);
        left -= piece.readableBytes();
        if (left == 0 && value == null) {
            value = digest.base64();
        }
    }

    private String value() {
        String whole = value;
        if (whole == null) {
            throw new IllegalStateException("the last piece has not come");
        }
        return whole;
    }
}
