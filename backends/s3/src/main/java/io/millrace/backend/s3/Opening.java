package io.millrace.backend.s3;

import io.millrace.backend.spi.ObjectContent;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The answer to one GetObject on its way from the SDK to its reader. A body holds a connection until somebody subscribes to
 * it, and there are moments when nobody has it: the SDK's future has it and is cancelled, the SDK has failed and delivers the
 * body all the same, the answer is refused, the reader left. Then it is given up here. A content that a reader drops in the
 * very moment of its leaving is beyond reach; it is given up when it has lain for the idle timeout.
 */
final class Opening implements AsyncResponseTransformer<GetObjectResponse, Publisher<ByteBuffer>> {
    private final RawHead head = new RawHead();
    private final BiFunction<Answer, Publisher<ByteBuffer>, ObjectContent> reading;
    private CompletableFuture<Publisher<ByteBuffer>> result = new CompletableFuture<>();
    private @Nullable Publisher<ByteBuffer> waiting;
    private boolean abandoned;

    private Opening(BiFunction<Answer, Publisher<ByteBuffer>, ObjectContent> reading) {
        this.reading = reading;
    }

    /**
     * Sends the request at subscription.
     *
     * @param reading makes a content of a head and a body, or throws, and the body is given up
     */
    static Mono<ObjectContent> of(
            S3AsyncClient sdk, ReadCall call, BiFunction<Answer, Publisher<ByteBuffer>, ObjectContent> reading) {
        return Mono.<ObjectContent>create(sink -> {
                    Opening opening = new Opening(reading);
                    opening.send(sdk, call.get(opening.head), sink);
                })
                .doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }

    private void send(S3AsyncClient sdk, GetObjectRequest request, MonoSink<ObjectContent> sink) {
        CompletableFuture<Publisher<ByteBuffer>> answer = sdk.getObject(request, this);
        sink.onCancel(() -> {
            abandon();
            answer.cancel(true);
        });
        CompletableFuture<Publisher<ByteBuffer>> unused = answer.whenComplete((body, failure) -> {
            if (failure != null) {
                sink.error(failure);
            } else if (take()) {
                handOver(body, sink);
            }
        });
    }

    private void handOver(Publisher<ByteBuffer> body, MonoSink<ObjectContent> sink) {
        ObjectContent content;
        try {
            content = reading.apply(head.answer(), body);
        } catch (RuntimeException e) {
            WatchedBody.discard(body);
            sink.error(e);
            return;
        }
        sink.success(content);
    }

    @Override
    public synchronized CompletableFuture<Publisher<ByteBuffer>> prepare() {
        result = new CompletableFuture<>();
        return result;
    }

    @Override
    public void onResponse(GetObjectResponse response) {
        // Empty: the head is taken before the SDK sees it.
    }

    @Override
    public void onStream(SdkPublisher<ByteBuffer> body) {
        CompletableFuture<Publisher<ByteBuffer>> future;
        boolean wanted;
        synchronized (this) {
            future = result;
            wanted = !abandoned && !future.isDone();
            waiting = wanted ? body : null;
        }
        if (wanted) {
            future.complete(body);
        } else {
            WatchedBody.discard(body);
        }
    }

    @Override
    public void exceptionOccurred(Throwable failure) {
        CompletableFuture<Publisher<ByteBuffer>> future;
        synchronized (this) {
            future = result;
        }
        future.completeExceptionally(failure);
    }

    private synchronized boolean take() {
        waiting = null;
        return !abandoned;
    }

    private void abandon() {
        Publisher<ByteBuffer> left;
        synchronized (this) {
            abandoned = true;
            left = waiting;
            waiting = null;
        }
        if (left != null) {
            WatchedBody.discard(left);
        }
    }
}
