package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;
import reactor.util.retry.Retry.RetrySignal;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.retries.api.RetryToken;
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException;

/**
 * Sends again what got no usable head. The SDK's strategy says whether and when, and keeps a budget that a server in trouble
 * uses up: then nothing is sent again until requests succeed. Reactor waits.
 */
final class Retries {
    /** How often a request is sent that gets no usable head. */
    static final int TRIES = 3;

    static final BackoffStrategy BACKOFF =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(50), Duration.ofSeconds(2));

    /** Who is told to slow down slows down by more. */
    static final BackoffStrategy SLOW_DOWN =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(500), Duration.ofSeconds(5));

    private static final Set<Integer> WORTH_ANOTHER_TRY = Set.of(429, 500, 502, 503, 504);

    private static final String SCOPE = "requests";

    private final RetryStrategy strategy = StandardRetryStrategy.builder()
            .maxAttempts(TRIES)
            .backoffStrategy(BACKOFF)
            .throttlingBackoffStrategy(SLOW_DOWN)
            .retryOnException(Retries::isWorthAnotherTry)
            .treatAsThrottling(Retries::saysSlowDown)
            .build();

    /**
     * The same, again and again while that makes sense; fails as the last one did.
     *
     * @param mayRepeat whether a request that failed like this may be sent again at all
     */
    <T> Mono<T> of(Mono<T> once, Predicate<Throwable> mayRepeat) {
        return Mono.defer(() -> {
            AtomicReference<RetryToken> token =
                    new AtomicReference<>(strategy.acquireInitialToken(AcquireInitialTokenRequest.create(SCOPE))
                            .token());
            return once.doOnNext(answer -> strategy.recordSuccess(RecordSuccessRequest.create(token.get())))
                    .retryWhen(Retry.from(failures -> again(failures, token, mayRepeat)));
        });
    }

    /** Whether the server cannot have acted on a request that failed like this: it never saw it, or would not take it now. */
    static boolean isSurelyUndone(Throwable failure) {
        return failure instanceof ConnectException || saysSlowDown(failure);
    }

    private Publisher<Long> again(
            Flux<RetrySignal> failures, AtomicReference<RetryToken> token, Predicate<Throwable> mayRepeat) {
        return failures.concatMap(signal -> {
            if (!mayRepeat.test(signal.failure())) {
                return Mono.error(signal.failure());
            }
            try {
                RefreshRetryTokenResponse next = strategy.refreshRetryToken(RefreshRetryTokenRequest.builder()
                        .token(token.get())
                        .failure(signal.failure())
                        .build());
                token.set(next.token());
                return Mono.delay(next.delay());
            } catch (TokenAcquisitionFailedException enough) {
                return Mono.error(signal.failure());
            }
        });
    }

    /** A silent server is not asked again: it may still be at work on the first request. */
    private static boolean isWorthAnotherTry(Throwable failure) {
        if (failure instanceof RefusedException refused) {
            Kind kind = ErrorKinds.ofCode(refused.text().code()).orElse(Kind.UNEXPECTED);
            return WORTH_ANOTHER_TRY.contains(refused.answer().status())
                    || kind == Kind.THROTTLED
                    || refused.text().code().equals("RequestTimeout");
        }
        return failure instanceof IOException;
    }

    private static boolean saysSlowDown(Throwable failure) {
        return failure instanceof RefusedException refused
                && (refused.answer().status() == 429
                        || ErrorKinds.ofCode(refused.text().code())
                                .filter(kind -> kind == Kind.THROTTLED)
                                .isPresent());
    }
}
