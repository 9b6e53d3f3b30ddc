package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.netty.channel.EventLoopGroup;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;

/** The SDK's client for one backend, with everything that must be given back with it. */
final class S3Client {
    /** How often a request is sent that gets no usable head; the SDK's token bucket ends that earlier in bad times. */
    private static final int TRIES = 3;

    private static final BackoffStrategy BACKOFF =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(50), Duration.ofSeconds(2));

    /** Who is told to slow down slows down by more. */
    private static final BackoffStrategy SLOW_DOWN =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(500), Duration.ofSeconds(5));

    private final Origin origin;
    private final Credentials credentials;
    private final EventLoopGroup loops;
    private final HashedWheelTimer timer;
    private final WatchedHttpClient http;
    private final S3AsyncClient sdk;
    private volatile boolean closed;

    private S3Client(
            String name,
            S3BackendSettings settings,
            BiFunction<S3BackendSettings, EventLoopGroup, SdkAsyncHttpClient> network) {
        origin = Origin.of(name, settings);
        credentials = Credentials.of(settings);
        loops = Connections.loops(name);
        timer = new HashedWheelTimer(
                new DefaultThreadFactory("s3-" + name + "-timer", true), 100, TimeUnit.MILLISECONDS);
        http = new WatchedHttpClient(
                network.apply(settings, loops),
                new WatchedHttpClient.Limits(settings.firstByteTimeout(), settings.idleTimeout()),
                timer);
        sdk = sdk(settings);
    }

    /** Opens no connection yet. */
    static S3Client create(String name, S3BackendSettings settings) {
        return create(name, settings, Connections::open);
    }

    /** The same with another way to the network. */
    static S3Client create(
            String name,
            S3BackendSettings settings,
            BiFunction<S3BackendSettings, EventLoopGroup, SdkAsyncHttpClient> network) {
        return new S3Client(name, settings, network);
    }

    Origin origin() {
        return origin;
    }

    /** One request, sent at subscription. Cancelling gives its connection up. */
    <T> Mono<T> call(Function<S3AsyncClient, CompletableFuture<T>> request) {
        return onThreadThatMayWait(Mono.fromFuture(() -> request.apply(sdk)));
    }

    /** The same for a request that says itself what becomes of its answer when nobody wants it any more. */
    <T> Mono<T> subscribe(Function<S3AsyncClient, Mono<T>> request) {
        return onThreadThatMayWait(Mono.defer(() -> request.apply(sdk)));
    }

    Mono<Void> close() {
        return Mono.<Void>fromRunnable(() -> {
                    closed = true;
                    sdk.close();
                    http.close();
                    timer.stop();
                    credentials.close();
                })
                .subscribeOn(Schedulers.boundedElastic())
                .then(Mono.create(sink -> loops.shutdownGracefully(50, 5000, TimeUnit.MILLISECONDS)
                        .addListener(done -> sink.success())));
    }

    private <T> Mono<T> onThreadThatMayWait(Mono<T> call) {
        Mono<T> whileOpen = Mono.defer(() -> closed
                ? Mono.error(new BackendException(BackendException.Kind.UNAVAILABLE, "the backend is closed"))
                : call);
        return credentials.mayBlock() ? whileOpen.subscribeOn(Schedulers.boundedElastic()) : whileOpen;
    }

    private S3AsyncClient sdk(S3BackendSettings settings) {
        S3AsyncClientBuilder builder = S3AsyncClient.builder()
                .httpClient(http)
                .region(Region.of(settings.region()))
                .forcePathStyle(origin.pathStyle())
                .credentialsProvider(credentials.provider())
                // Checksums are the clients' business: computing or comparing them here would cost CPU for every byte.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                // A signed request goes where the operator said, and nowhere else.
                .crossRegionAccessEnabled(false)
                .disableS3ExpressSessionAuth(true)
                .multipartEnabled(false)
                // Answers are handed on by the thread that read them; a pool in between would cost two switches a
                // request.
                .asyncConfiguration(async ->
                        async.advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run))
                .overrideConfiguration(this::configure);
        settings.endpoint().map(Origin::withoutSlash).ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private void configure(ClientOverrideConfiguration.Builder override) {
        override.retryStrategy(retries())
                .scheduledExecutorService(loops)
                .addExecutionInterceptor(new AnswerLimit())
                .addExecutionInterceptor(new RawHead.Taker())
                // Only the operator's file counts, not what ~/.aws/config of this machine says about S3.
                .defaultProfileFile(ProfileFile.builder()
                        .content(new ByteArrayInputStream(new byte[0]))
                        .type(ProfileFile.Type.CONFIGURATION)
                        .build());
    }

    private static RetryStrategy retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(TRIES)
                .backoffStrategy(BACKOFF)
                .throttlingBackoffStrategy(SLOW_DOWN)
                .build();
    }

    /** Where a backend is, in words and for the SDK. */
    record Origin(String name, String place, String region, boolean pathStyle) {
        static Origin of(String name, S3BackendSettings settings) {
            String place = settings.endpoint()
                    .map(endpoint -> withoutSlash(endpoint).toString())
                    .orElse("Amazon S3 in " + settings.region());
            boolean pathStyle = settings.pathStyle().orElse(settings.endpoint().isPresent());
            return new Origin(name, place, settings.region(), pathStyle);
        }

        /** The SDK takes a slash off the key for one that ends the endpoint. */
        private static URI withoutSlash(URI endpoint) {
            String text = endpoint.toString();
            int end = text.length();
            while (text.charAt(end - 1) == '/') {
                end--;
            }
            return URI.create(text.substring(0, end));
        }

        @Override
        public String toString() {
            return "backend '%s' (%s)".formatted(name, place);
        }
    }
}
