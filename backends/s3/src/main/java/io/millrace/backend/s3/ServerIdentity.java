package io.millrace.backend.s3;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Finds out which server a backend is: by its host, or else by the fields of its answer to a HEAD of the bucket, which writes
 * nothing. Remembers that for a minute, since another server may take its place.
 */
final class ServerIdentity {
    private static final long REMEMBERED = Duration.ofMinutes(1).toNanos();

    private final S3Client client;
    private final Optional<KnownServer> byHost;
    private final LongSupplier nanos;
    private volatile @Nullable Seen seen;

    /** What was found, and when. */
    private record Seen(Optional<KnownServer> server, long at) {}

    /**
     * @param nanos the time, as {@link System#nanoTime()} has it
     */
    ServerIdentity(S3Client client, LongSupplier nanos) {
        this.client = client;
        this.byHost = KnownServer.at(client.origin());
        this.nanos = nanos;
    }

    /** The server that keeps this bucket; empty if nothing tells. Fails if the server cannot be asked. */
    Mono<Optional<KnownServer>> of(BucketName bucket) {
        return Mono.defer(() -> {
            Seen last = seen;
            if (byHost.isPresent()) {
                return Mono.just(byHost);
            }
            return last != null && nanos.getAsLong() - last.at() < REMEMBERED ? Mono.just(last.server()) : ask(bucket);
        });
    }

    private Mono<Optional<KnownServer>> ask(BucketName bucket) {
        return client.open(WireRequest.of(SdkHttpMethod.HEAD, bucket))
                .flatMap(answer -> answer.body().drain().thenReturn(new HeaderList(answer.fields())))
                // Also a refusal tells who refuses. A proxy speaks for itself when its server is in trouble.
                .onErrorResume(
                        RefusedException.class,
                        refused -> refused.answer().status() < 500 ? Mono.just(refused.fields()) : Mono.error(refused))
                .map(KnownServer::of)
                .doOnNext(server -> seen = new Seen(server, nanos.getAsLong()));
    }
}
