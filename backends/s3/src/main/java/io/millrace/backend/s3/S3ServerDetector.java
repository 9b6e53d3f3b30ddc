package io.millrace.backend.s3;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Detects the server product of a backend: by its host name, or by the response headers of a HeadBucket. Caches the
 * result for a minute, since another server may take its place.
 */
final class S3ServerDetector {
    private static final long REMEMBERED = Duration.ofMinutes(1).toNanos();

    private final S3Client client;
    private final Optional<KnownS3Server> byHost;
    private final LongSupplier nanos;
    private volatile @Nullable CachedServer seen;

    /** A detected server and the time of detection. */
    private record CachedServer(Optional<KnownS3Server> server, long at) {}

    /**
     * @param nanos the clock, as {@link System#nanoTime()}
     */
    S3ServerDetector(S3Client client, LongSupplier nanos) {
        this.client = client;
        this.byHost = KnownS3Server.ofEndpoint(client.endpoint());
        this.nanos = nanos;
    }

    /** Returns the server of this bucket; empty if it is unknown. Fails if the request to the server fails. */
    Mono<Optional<KnownS3Server>> detect(BucketName bucket) {
        return Mono.defer(() -> {
            CachedServer last = seen;
            if (byHost.isPresent()) {
                return Mono.just(byHost);
            }
            return last != null && nanos.getAsLong() - last.at() < REMEMBERED
                    ? Mono.just(last.server())
                    : probe(bucket);
        });
    }

    private Mono<Optional<KnownS3Server>> probe(BucketName bucket) {
        return client.open(UnsignedRequest.of(SdkHttpMethod.HEAD, bucket))
                .flatMap(response -> response.body().drain().thenReturn(new HeaderList(response.fields())))
                // An error response identifies the server too, except a 5xx, which a proxy may have sent.
                .onErrorResume(
                        ErrorResponseException.class,
                        refused -> refused.head().status() < 500 ? Mono.just(refused.headers()) : Mono.error(refused))
                .map(KnownS3Server::ofResponse)
                .doOnNext(server -> seen = new CachedServer(server, nanos.getAsLong()));
    }
}
