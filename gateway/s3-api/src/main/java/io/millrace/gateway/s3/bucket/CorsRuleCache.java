package io.millrace.gateway.s3.bucket;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/**
 * Caches the CORS rules of buckets. The rules of a backend are fetched when a browser needs them, by single-flight, and
 * cached for {@link #CACHE_TIME}. Thread-safe.
 */
public final class CorsRuleCache {
    /** S3's message. */
    private static final String NOT_ALLOWED =
            "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request"
                    + " method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by"
                    + " the resource's CORS spec.";

    /** The time limit for fetching the rules of a backend. */
    private static final Duration FETCH_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration CACHE_TIME = Duration.ofSeconds(30);
    private static final int MAX_CACHED = 10_000;

    /**
     * The limit of concurrent fetches for buckets that the settings name, and for requests that have passed the gate.
     */
    private static final int MAX_FETCHES = 16;

    /**
     * That of further ones for preflights to buckets that only a pattern gives: anybody can name any number that do not
     * exist.
     */
    private static final int MAX_GUESSED_FETCHES = 8;

    private final BucketRegistry buckets;
    private final Duration fetchTimeout;
    private final GuessLimiter guesses;
    private final Semaphore freeFetches = new Semaphore(MAX_FETCHES);
    private final Semaphore freeGuesses = new Semaphore(MAX_GUESSED_FETCHES);
    private final AsyncCache<BucketName, List<CorsRule>> remembered = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED)
            .expireAfterWrite(CACHE_TIME)
            .buildAsync();

    public CorsRuleCache(BucketRegistry buckets) {
        this(buckets, FETCH_TIMEOUT);
    }

    /** @param fetchTimeout how long a backend may take to tell the rules of a bucket */
    public CorsRuleCache(BucketRegistry buckets, Duration fetchTimeout) {
        this(buckets, fetchTimeout, GuessLimiter.standard());
    }

    /** @param guesses limits the fetches for preflight requests to buckets of patterns */
    public CorsRuleCache(BucketRegistry buckets, Duration fetchTimeout, GuessLimiter guesses) {
        this.buckets = buckets;
        this.fetchTimeout = fetchTimeout;
        this.guesses = guesses;
    }

    /** Returns the CORS headers of the response to a request; none without an origin, or if no rule allows it. */
    public Mono<HeaderList> fieldsFor(S3Request request) {
        Optional<BucketName> bucket = request.target().bucket();
        return bucket.isEmpty() || request.headers().first("origin").isEmpty()
                ? Mono.just(HeaderList.EMPTY)
                : of(bucket.get(), guesser(request)).map(rules -> shown(rules, request));
    }

    /** Returns the network of a request that anybody may send; none of one that passes the gate as others do. */
    private static OptionalLong guesser(S3Request request) {
        return request.method().equals("OPTIONS")
                ? OptionalLong.of(request.source().network())
                : OptionalLong.empty();
    }

    /** Returns the CORS headers of an error response from cached rules only; never sends a request to a backend. */
    public HeaderList cachedFor(S3Request request) {
        return request.target()
                .bucket()
                .flatMap(this::cachedRules)
                .map(rules -> shown(rules, request))
                .orElse(HeaderList.EMPTY);
    }

    private static HeaderList shown(List<CorsRule> rules, S3Request request) {
        return request.headers()
                .first("origin")
                .flatMap(origin -> first(rules, origin, request.method()).map(rule -> fields(rule, origin)))
                .orElse(HeaderList.EMPTY);
    }

    /**
     * Returns the headers of the response to a preflight request; fails with AccessForbidden if no rule allows it.
     *
     * @param network that of the client
     */
    Mono<HeaderList> preflight(BucketName bucket, PreflightRequest preflight, long network) {
        return of(bucket, OptionalLong.of(network)).map(rules -> {
            if (rules.isEmpty()) {
                throw forbidden("CORSResponse: CORS is not enabled for this bucket.");
            }
            return rules.stream()
                    .filter(rule -> rule.allows(preflight.origin(), preflight.method())
                            && rule.allowsHeaders(preflight.headers()))
                    .findFirst()
                    .map(rule -> preflightFields(rule, preflight))
                    .orElseThrow(() -> forbidden(NOT_ALLOWED));
        });
    }

    private static S3Exception forbidden(String why) {
        return new S3Exception(403, "AccessForbidden", why);
    }

    /** @param guesser the network of a request that anybody may send */
    private Mono<List<CorsRule>> of(BucketName name, OptionalLong guesser) {
        return cachedRules(name).map(Mono::just).orElseGet(() -> fetched(name, guesser));
    }

    /**
     * Fetches rules by single-flight; a cancelled subscriber does not cancel the fetch for others. Beyond a limit there
     * are none, which is not cached.
     */
    private Mono<List<CorsRule>> fetched(BucketName name, OptionalLong guesser) {
        return Mono.fromFuture(
                        remembered.get(
                                name,
                                (missing, executor) -> permit(missing, guesser)
                                        .map(permit -> Mono.defer(() -> fetch(buckets.find(missing)))
                                                .doFinally(end -> permit.release())
                                                .toFuture())
                                        .orElseGet(() -> CompletableFuture.completedFuture(null))),
                        true)
                .defaultIfEmpty(List.of());
    }

    /** Takes a permit to fetch rules. Returns where it is given back; empty if there is none. */
    private Optional<Semaphore> permit(BucketName name, OptionalLong guesser) {
        boolean isGuess = guesser.isPresent() && buckets.find(name).isOfPattern();
        Semaphore free = isGuess ? freeGuesses : freeFetches;
        if (!free.tryAcquire()) {
            return Optional.empty();
        }
        // Last, so that who gets no permit is not charged.
        if (isGuess && !guesses.admits(guesser.getAsLong())) {
            free.release();
            return Optional.empty();
        }
        return Optional.of(free);
    }

    /** Returns the rules if they need no fetch. */
    private Optional<List<CorsRule>> cachedRules(BucketName name) {
        BucketView bucket;
        try {
            bucket = buckets.find(name);
        } catch (S3Exception noBucket) {
            return Optional.of(List.of());
        }
        if (!bucket.settings().cors().isEmpty()) {
            return Optional.of(
                    bucket.settings().cors().stream().map(CorsRule::of).toList());
        }
        return bucket.backend().capabilities().contains(Capability.S3_CONFIGURATION)
                ? Optional.ofNullable(remembered.synchronous().getIfPresent(name))
                : Optional.of(List.of());
    }

    /**
     * Fetches the rules of a backend. A failure or timeout counts as no rules: a bucket without rules has an error
     * response, and a failing backend must not delay the client's response.
     */
    private Mono<List<CorsRule>> fetch(BucketView bucket) {
        ForwardRequest request = new ForwardRequest(
                "GET",
                bucket.backendBucket(),
                Optional.empty(),
                List.of(new QueryParameter("cors", "")),
                HeaderList.EMPTY,
                ByteBuffer.allocate(0));
        return bucket.backend()
                .forward(request)
                .map(response -> parse(response.body()))
                .timeout(fetchTimeout)
                .onErrorResume(failure -> failure instanceof BackendException
                                || failure instanceof XmlException
                                || failure instanceof TimeoutException
                        ? Mono.just(List.of())
                        : Mono.error(failure));
    }

    private static List<CorsRule> parse(ByteBuffer document) {
        byte[] bytes = new byte[document.remaining()];
        document.duplicate().get(bytes);
        return XmlParser.parse(bytes, "CORSConfiguration")
                .all("CORSRule")
                .map(CorsRule::of)
                .toList();
    }

    private static Optional<CorsRule> first(List<CorsRule> rules, String origin, String method) {
        return rules.stream().filter(rule -> rule.allows(origin, method)).findFirst();
    }

    private static HeaderList preflightFields(CorsRule rule, PreflightRequest preflight) {
        HeaderList fields = fields(rule, preflight.origin());
        if (!preflight.headers().isEmpty()) {
            fields = fields.with("access-control-allow-headers", String.join(", ", preflight.headers()));
        }
        return rule.maxAge().isPresent()
                ? fields.with("access-control-max-age", rule.maxAge().get())
                : fields;
    }

    private static HeaderList fields(CorsRule rule, String origin) {
        boolean all = rule.isForAll(origin);
        HeaderList fields = HeaderList.EMPTY
                .with("access-control-allow-origin", all ? "*" : origin)
                .with("access-control-allow-methods", String.join(", ", rule.methods()))
                .with("vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
        if (!all) {
            fields = fields.with("access-control-allow-credentials", "true");
        }
        return rule.expose().isEmpty()
                ? fields
                : fields.with("access-control-expose-headers", String.join(", ", rule.expose()));
    }
}
