package io.millrace.backend.s3;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The answer to one GetObject on its way from the SDK to its reader. A body holds a connection until somebody subscribes to
 * it, and there are moments when nobody has it yet: the SDK's future holds it and is cancelled, or the SDK found the head
 * unreadable and delivers the body all the same. Then it is given up here.
 */
final class Opening implements AsyncResponseTransformer<GetObjectResponse, Opening.Opened> {
    private CompletableFuture<Opened> result = new CompletableFuture<>();
    private @Nullable SdkHttpResponse head;
    private @Nullable Opened waiting;
    private boolean abandoned;

    /** A head and a body that must be subscribed to, or {@link #discard}ed. */
    record Opened(SdkHttpResponse head, Publisher<ByteBuffer> body) {
        void discard() {
            Opening.discard(body);
        }
    }

    /** Sends the request at subscription. Whoever gets the answer has its body; one that comes too late is given up. */
    static Mono<Opened> of(S3AsyncClient sdk, GetObjectRequest request) {
        return Mono.<Opened>create(sink -> new Opening().send(sdk, request, sink))
                .doOnDiscard(Opened.class, Opened::discard);
    }

    private void send(S3AsyncClient sdk, GetObjectRequest request, MonoSink<Opened> sink) {
        CompletableFuture<Opened> answer = sdk.getObject(request, this);
        sink.onCancel(() -> {
            abandon();
            answer.cancel(true);
        });
        CompletableFuture<Opened> unused = answer.whenComplete((opened, failure) -> {
            if (failure != null) {
                sink.error(failure);
            } else if (take()) {
                sink.success(opened);
            }
        });
    }

    @Override
    public synchronized CompletableFuture<Opened> prepare() {
        result = new CompletableFuture<>();
        return result;
    }

    @Override
    public synchronized void onResponse(GetObjectResponse response) {
        head = response.sdkHttpResponse();
    }

    @Override
    public void onStream(SdkPublisher<ByteBuffer> body) {
        Opened opened = null;
        CompletableFuture<Opened> future;
        synchronized (this) {
            future = result;
            if (head != null && !abandoned) {
                opened = new Opened(head, body);
                waiting = opened;
            }
        }
        if (opened == null) {
            discard(body);
        } else {
            future.complete(opened);
        }
    }

    @Override
    public void exceptionOccurred(Throwable failure) {
        CompletableFuture<Opened> future;
        synchronized (this) {
            head = null;
            future = result;
        }
        future.completeExceptionally(failure);
    }

    private synchronized boolean take() {
        waiting = null;
        return !abandoned;
    }

    private void abandon() {
        Opened left;
        synchronized (this) {
            abandoned = true;
            left = waiting;
            waiting = null;
        }
        if (left != null) {
            left.discard();
        }
    }

    private static void discard(Publisher<ByteBuffer> body) {
        Flux.from(body).subscribe(piece -> {}, ignored -> {}).dispose();
    }
}
