package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * Checks that the response of a backend fits its request, whatever the backend did: the range, the size, the required
 * version and the number of bytes. Otherwise bytes of another place or version could be cached.
 */
public final class ReadResponseCheck {
    private ReadResponseCheck() {}

    /**
     * Returns the response to a request for metadata.
     *
     * @throws BackendException of kind INVALID_RESPONSE or VERSION_CHANGED if it does not fit
     */
    public static HeadResult check(ReadRequest request, HeadResult response) {
        check(request, response.head(), response.range());
        return response;
    }

    /**
     * Returns the response to a request for bytes, with a body that fails unless it has exactly its length; discards a
     * response that does not fit.
     *
     * @throws BackendException of kind INVALID_RESPONSE or VERSION_CHANGED if it does not fit
     */
    public static ObjectContent check(ReadRequest request, ObjectContent response) {
        try {
            check(request, response.head(), response.range());
        } catch (BackendException unfit) {
            response.discard();
            throw unfit;
        }
        return new ObjectContent(response.head(), response.range(), exactly(response.length(), response.body()));
    }

    private static void check(ReadRequest request, ObjectHead head, Optional<ByteRange> range) {
        ReadDecision.requireVersion(request, head.version());
        long size = head.size();
        Optional<ByteRange> expected = range;
        if (request.selection() instanceof ByteSelection.RangeSelection selection) {
            expected = selection.spec().resolve(size);
        } else if (request.selection() instanceof ByteSelection.WholeObject) {
            expected = Optional.empty();
        }
        boolean isWhole =
                range.isEmpty() && expected.filter(all -> all.length() == size).isPresent();
        boolean isInside = range.filter(bytes -> bytes.last() >= size).isEmpty();
        if (!isInside || !(range.equals(expected) || isWhole)) {
            throw invalid(
                    "the response has %s of %d bytes; %s was requested".formatted(text(range), size, text(expected)));
        }
    }

    private static Flux<ByteBuf> exactly(long length, Flux<ByteBuf> body) {
        return Flux.defer(() -> {
            long[] left = {length};
            return body.doOnNext(piece -> {
                        left[0] -= piece.readableBytes();
                        if (left[0] < 0) {
                            piece.release();
                            throw invalid("the body has more than %d bytes".formatted(length));
                        }
                    })
                    .doOnComplete(() -> {
                        if (left[0] > 0) {
                            throw invalid("the body ended %d bytes short".formatted(left[0]));
                        }
                    });
        });
    }

    private static String text(Optional<ByteRange> range) {
        return range.map(bytes -> "bytes %d-%d".formatted(bytes.first(), bytes.last()))
                .orElse("the whole object");
    }

    private static BackendException invalid(String what) {
        return new BackendException(FailureKind.INVALID_RESPONSE, what);
    }
}
