package io.millrace.auth.session;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * An HTTP client for small documents of identity providers. No thread waits for them, and each comes whole within
 * {@link #LONGEST} or not at all, so a provider that sends a byte now and then holds nothing. It follows no redirect,
 * which could lead to a service of this machine. Thread-safe.
 */
final class IssuerHttpClient {
    /** The time for a document, from the connection to its last byte. */
    static final Duration LONGEST = Duration.ofSeconds(5);

    static final int MOST_BYTES = 256 << 10;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    private IssuerHttpClient() {}

    /** The client, made with the first request: most gateways have no identity provider. */
    private static final class Shared {
        private static final HttpClient CLIENT = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIMEOUT)
                .build();
    }

    /** Fetches a document; fails if the status is not 200, or it is too long or too late. */
    static Mono<byte[]> fetch(URI document) {
        return send(HttpRequest.newBuilder(document).build()).map(response -> {
            requireOk(response.statusCode());
            return response.body();
        });
    }

    /** Posts a form and returns the response's document; empty if the form is refused. Fails as {@link #fetch}. */
    static Mono<byte[]> post(URI endpoint, String form, Optional<String> authorization) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json")
                .POST(BodyPublishers.ofString(form));
        authorization.ifPresent(value -> request.header("Authorization", value));
        return send(request.build()).flatMap(response -> {
            int status = response.statusCode();
            if (status == 400 || status == 401) {
                return Mono.empty();
            }
            requireOk(status);
            return Mono.just(response.body());
        });
    }

    private static void requireOk(int status) {
        if (status != 200) {
            throw new IllegalStateException("the identity provider answers with status " + status);
        }
    }

    private static Mono<HttpResponse<byte[]>> send(HttpRequest request) {
        // The client's own timeout ends with the head.
        return Mono.<HttpResponse<byte[]>>create(sink -> exchange(request, sink))
                .timeout(LONGEST);
    }

    private static void exchange(HttpRequest request, MonoSink<HttpResponse<byte[]>> sink) {
        AtomicBoolean left = new AtomicBoolean();
        CompletableFuture<HttpResponse<byte[]>> response = Shared.CLIENT.sendAsync(request, head -> new BoundedBody());
        sink.onCancel(() -> {
            left.set(true);
            response.cancel(true);
        });
        CompletableFuture<HttpResponse<byte[]>> unused = response.whenComplete((received, failure) -> {
            if (failure == null) {
                sink.success(received);
            } else if (!left.get()) {
                // A failure by the cancellation would be logged, for there is nobody to tell.
                sink.error(failure);
            }
        });
    }

    /** Receives a body of at most {@link #MOST_BYTES}. */
    private static final class BoundedBody implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private Flow.@Nullable Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return whole;
        }

        @Override
        public void onSubscribe(Flow.Subscription body) {
            subscription = body;
            body.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> pieces) {
            for (ByteBuffer piece : pieces) {
                if (received.size() + piece.remaining() > MOST_BYTES) {
                    if (subscription != null) {
                        subscription.cancel();
                    }
                    onError(new IOException("the identity provider's document is too long"));
                    return;
                }
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                received.writeBytes(bytes);
            }
        }

        @Override
        public void onError(Throwable failure) {
            whole.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            whole.complete(received.toByteArray());
        }
    }
}
