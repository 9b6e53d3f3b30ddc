package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** Both roads to one backend, over the same connections: ours for reads, the SDK's for all else. */
final class S3Client {
    private final Origin origin;
    private final Credentials credentials;
    private final Connections connections;
    private final ReadRoad reads;
    private final S3AsyncClient sdk;
    private volatile boolean closed;

    private S3Client(String name, S3BackendSettings settings, UnaryOperator<HttpClient> network) {
        origin = Origin.of(name, settings);
        credentials = Credentials.of(settings);
        connections = new Connections(name, settings);
        Deadlines deadlines = new Deadlines(settings.firstByteTimeout(), settings.idleTimeout());
        Sender sender = new Sender(network.apply(connections.client()), deadlines);
        reads = new ReadRoad(origin, credentials, sender);
        sdk = SdkRoad.open(origin, credentials, new SdkNetwork(sender));
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

    /** GET or HEAD of an object; see {@link ReadRoad#send}. */
    Mono<WireAnswer> read(SdkHttpMethod method, ReadCall call) {
        return whileOpen(reads.send(method, call));
    }

    /** One request of the SDK's, sent at subscription. Cancelling gives its connection up. */
    <T> Mono<T> call(Function<S3AsyncClient, CompletableFuture<T>> request) {
        Mono<T> call = whileOpen(Mono.fromFuture(() -> request.apply(sdk)));
        return credentials.mayBlock() ? call.subscribeOn(Schedulers.boundedElastic()) : call;
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
