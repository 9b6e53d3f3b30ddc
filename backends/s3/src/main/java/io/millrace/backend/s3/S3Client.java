package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.UploadBody;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** Both roads to one backend, over the same connections: the SDK's for listings of objects and buckets, ours for all else. */
final class S3Client {
    private final Origin origin;
    private final Credentials credentials;
    private final Connections connections;
    private final Road road;
    private final Deadlines deadlines;
    private final S3AsyncClient sdk;
    private volatile boolean closed;

    private S3Client(String name, S3BackendSettings settings, UnaryOperator<HttpClient> network) {
        origin = Origin.of(name, settings);
        credentials = Credentials.of(name, settings);
        connections = new Connections(name, settings);
        deadlines = new Deadlines(settings.firstByteTimeout(), settings.idleTimeout());
        Sender sender = new Sender(network.apply(connections.client()));
        road = new Road(origin, credentials, sender, deadlines);
        sdk = SdkRoad.open(origin, credentials, new SdkNetwork(sender, deadlines));
    }

    /** Opens no connection yet. */
    static S3Client create(String name, S3BackendSettings settings) {
        return create(name, settings, UnaryOperator.identity());
    }

    /** The same with another way to the network. */
    static S3Client create(String name, S3BackendSettings settings, UnaryOperator<HttpClient> network) {
        return new S3Client(name, settings, network);
    }

    Origin origin() {
        return origin;
    }

    /** See {@link Road#open}. */
    Mono<WireAnswer> open(WireRequest request) {
        return whileOpen(road.open(request));
    }

    /** See {@link Road#exchange}. */
    Mono<Reply> exchange(WireRequest request, Manner manner) {
        return exchange(request, manner, AnswerLimit.MAX_BYTES);
    }

    Mono<Reply> exchange(WireRequest request, Manner manner, int maxBytes) {
        return whileOpen(road.exchange(request, manner, maxBytes));
    }

    /** Sends {@code body} behind the request, in the form it needs. See {@link Road#upload}; fails as the pieces do. */
    Mono<Reply> upload(WireRequest request, UploadBody body, UnaryOperator<Throwable> failure) {
        return upload(request, body, failure, Manner.ONCE);
    }

    /** The same, never sent again. */
    Mono<Reply> uploadOnce(WireRequest request, UploadBody body, UnaryOperator<Throwable> failure) {
        return upload(request, body, failure, Manner.NEVER_AGAIN);
    }

    private Mono<Reply> upload(WireRequest request, UploadBody body, UnaryOperator<Throwable> failure, Manner manner) {
        return Mono.defer(() -> {
            Framing framing = Framing.of(body);
            return framing.wireLength() == 0
                    ? nothing(body).then(exchange(request, manner).onErrorMap(failure))
                    : upload(request, new BodySender(body, framing, deadlines), failure, manner);
        });
    }

    private Mono<Reply> upload(WireRequest request, BodySender body, UnaryOperator<Throwable> failure, Manner manner) {
        WireRequest streaming = request.with(new WireRequest.Body.Stream(body.framing()));
        Mono<Reply> reply =
                manner == Manner.NEVER_AGAIN ? road.uploadOnce(streaming, body) : road.upload(streaming, body);
        return whileOpen(reply).onErrorMap(cause -> body.failure().orElseGet(() -> failure.apply(cause)));
    }

    /** Waits for the end of an empty body: it may still be told to be wrong. */
    private static Mono<Void> nothing(UploadBody body) {
        return new MeasuredBody(body.pieces(), 0, cause -> cause).then();
    }

    /** One request of the SDK's, sent at subscription. Cancelling gives its connection up. */
    <T> Mono<T> call(Function<S3AsyncClient, CompletableFuture<T>> request) {
        // Waited for here: the SDK would block on an identity that is not there yet.
        Mono<T> call = credentials.identity().flatMap(identity -> Mono.fromFuture(() -> request.apply(sdk)));
        return whileOpen(call);
    }

    Mono<Void> close() {
        return Mono.<Void>fromRunnable(() -> {
                    closed = true;
                    sdk.close();
                    credentials.close();
                })
                .subscribeOn(Schedulers.boundedElastic())
                .then(connections.close());
    }

    private <T> Mono<T> whileOpen(Mono<T> call) {
        return Mono.defer(() -> closed
                ? Mono.error(new BackendException(BackendException.Kind.UNAVAILABLE, "the backend is closed"))
                : call);
    }
}
