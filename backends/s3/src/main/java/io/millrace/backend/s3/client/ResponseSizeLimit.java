package io.millrace.backend.s3.client;

import io.millrace.backend.spi.BackendException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/** Limits the size of a response to the SDK's client, which buffers listings and errors in memory. */
final class ResponseSizeLimit implements ExecutionInterceptor {
    /** Four times a page of 1,000 keys of 1,024 bytes, each byte percent-encoded. */
    static final int MAX_BYTES = 16 << 20;

    @Override
    public Optional<Publisher<ByteBuffer>> modifyAsyncHttpResponseContent(
            Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
        return context.responsePublisher().map(ResponseSizeLimit::limited);
    }

    private static Publisher<ByteBuffer> limited(Publisher<ByteBuffer> answer) {
        AtomicLong seen = new AtomicLong();
        return Flux.from(answer).doOnNext(piece -> {
            if (seen.addAndGet(piece.remaining()) > MAX_BYTES) {
                throw new BackendException(
                        BackendException.FailureKind.INVALID_RESPONSE,
                        "the response has more than " + MAX_BYTES + " bytes");
            }
        });
    }
}
