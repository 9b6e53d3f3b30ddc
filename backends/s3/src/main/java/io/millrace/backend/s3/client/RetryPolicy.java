package io.millrace.backend.s3.client;

import io.millrace.backend.s3.response.ErrorCodeMapping;
import io.millrace.backend.s3.response.ErrorResponseException;
import io.millrace.backend.spi.BackendException.FailureKind;
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
 * Decides whether and when to retry a request to the S3 server that got no usable response headers. The decision is
 * that of the SDK's retry strategy, which keeps a retry budget: if a failing server uses it up, nothing is retried
 * until requests succeed.
 */
public final class RetryPolicy {
    /** The most attempts of a request, the first included. */
    public static final int MAX_ATTEMPTS = 3;

    static final BackoffStrategy BACKOFF =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(50), Duration.ofSeconds(2));

    /** The longer backoff after a throttling response. */
    static final BackoffStrategy THROTTLING_BACKOFF =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(500), Duration.ofSeconds(5));

    private static final Set<Integer> RETRYABLE_STATUS = Set.of(429, 500, 502, 503, 504);

    private static final String SCOPE = "requests";

    private final RetryStrategy strategy = StandardRetryStrategy.builder()
            .maxAttempts(MAX_ATTEMPTS)
            .backoffStrategy(BACKOFF)
            .throttlingBackoffStrategy(THROTTLING_BACKOFF)
            .retryOnException(RetryPolicy::isRetryable)
            .treatAsThrottling(RetryPolicy::isThrottling)
            .build();

    /**
     * Retries {@code once} while that can help; fails as the last attempt did.
     *
     * @param mayRepeat whether a request with this failure may be sent again at all
     */
    <T> Mono<T> retry(Mono<T> once, Predicate<Throwable> mayRepeat) {
        return Mono.defer(() -> {
            AtomicReference<RetryToken> token =
                    new AtomicReference<>(strategy.acquireInitialToken(AcquireInitialTokenRequest.create(SCOPE))
                            .token());
            return once.doOnNext(response -> strategy.recordSuccess(RecordSuccessRequest.create(token.get())))
                    .retryWhen(Retry.from(failures -> nextDelay(failures, token, mayRepeat)));
        });
    }

    /** Returns whether the server cannot have acted on the request: it was not sent, or the server refused it by throttling. */
    static boolean isUnprocessed(Throwable failure) {
        return failure instanceof ConnectException || isThrottling(failure);
    }

    private Publisher<Long> nextDelay(
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

    /** No retry after a timeout: the server may still be at work on the first request. */
    private static boolean isRetryable(Throwable failure) {
        if (failure instanceof ErrorResponseException refused) {
            FailureKind kind = ErrorCodeMapping.ofCode(refused.body().code()).orElse(FailureKind.UNEXPECTED);
            return RETRYABLE_STATUS.contains(refused.head().status())
                    || kind == FailureKind.THROTTLED
                    || refused.body().code().equals("RequestTimeout");
        }
        return failure instanceof IOException;
    }

    private static boolean isThrottling(Throwable failure) {
        return failure instanceof ErrorResponseException refused
                && (refused.head().status() == 429
                        || ErrorCodeMapping.ofCode(refused.body().code())
                                .filter(kind -> kind == FailureKind.THROTTLED)
                                .isPresent());
    }
}
