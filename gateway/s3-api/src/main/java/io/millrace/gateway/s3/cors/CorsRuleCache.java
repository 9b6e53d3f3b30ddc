package io.millrace.gateway.s3.cors;

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
import io.millrace.gateway.xml.XmlParser;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/**
 * The rules of each bucket. Those of a backend are asked for when a browser asks, once for all that ask, and remembered for {@link #REMEMBERED}. Safe for
 * use by any number of threads.
 */
public final class CorsRuleCache {
    /** S3's words. */
    private static final String NOT_ALLOWED =
            "CORSResponse: This CORS request is not allowed. This is usually because the"
                    + " evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are"
                    + " not whitelisted by the resource's CORS spec.";

    /** How long an answer waits for the rules of a backend. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration REMEMBERED = Duration.ofSeconds(30);
    private static final int MOST_REMEMBERED = 10_000;

    /** More would be strangers', who can ask about names that no bucket has. */
    private static final int ASKED_AT_ONCE = 16;

    private final BucketRegistry buckets;
    private final AtomicInteger asking = new AtomicInteger();
    private final AsyncCache<BucketName, List<CorsRule>> remembered = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(REMEMBERED)
            .buildAsync();

    public CorsRuleCache(BucketRegistry buckets) {
        this.buckets = buckets;
    }

    /** The fields that let a script see the answer to this request; none if it comes from no script, or from one that may not. */
    public Mono<HeaderList> fieldsFor(S3Request request) {
        Optional<BucketName> bucket = request.target().bucket();
        return bucket.isEmpty() || request.headers().first("origin").isEmpty()
                ? Mono.just(HeaderList.EMPTY)
                : of(bucket.get()).map(rules -> shown(rules, request));
    }

    /** The same for a request that was refused: no backend is asked for it. */
    public HeaderList knownFor(S3Request request) {
        return request.target()
                .bucket()
                .flatMap(this::known)
                .map(rules -> shown(rules, request))
                .orElse(HeaderList.EMPTY);
    }

    private static HeaderList shown(List<CorsRule> rules, S3Request request) {
        return request.headers()
                .first("origin")
                .flatMap(origin -> first(rules, origin, request.method()).map(rule -> fields(rule, origin)))
                .orElse(HeaderList.EMPTY);
    }

    /** The fields that answer a browser which asks what a script may do; AccessForbidden if it may not. */
    Mono<HeaderList> preflight(BucketName bucket, PreflightRequest asked) {
        return of(bucket).map(rules -> {
            if (rules.isEmpty()) {
                throw forbidden("CORSResponse: CORS is not enabled for this bucket.");
            }
            return rules.stream()
                    .filter(rule -> rule.allows(asked.origin(), asked.method()) && rule.allowsHeaders(asked.headers()))
                    .findFirst()
                    .map(rule -> preflightFields(rule, asked))
                    .orElseThrow(() -> forbidden(NOT_ALLOWED));
        });
    }

    private static S3Exception forbidden(String why) {
        return new S3Exception(403, "AccessForbidden", why);
    }

    private Mono<List<CorsRule>> of(BucketName name) {
        return known(name)
                .map(Mono::just)
                .orElseGet(() -> asking.get() < ASKED_AT_ONCE ? asked(name) : Mono.just(List.of()));
    }

    /** Whoever leaves, others wait for the same answer. */
    private Mono<List<CorsRule>> asked(BucketName name) {
        return Mono.fromFuture(
                remembered.get(name, (missing, executor) -> {
                    Mono<List<CorsRule>> answer = ask(buckets.find(missing));
                    asking.incrementAndGet();
                    return answer.doFinally(end -> asking.decrementAndGet()).toFuture();
                }),
                true);
    }

    /** Those that need not be asked for; empty if they do. */
    private Optional<List<CorsRule>> known(BucketName name) {
        BucketView bucket;
        try {
            bucket = buckets.find(name);
        } catch (S3Exception noBucket) {
            return Optional.of(List.of());
        }
        if (!bucket.cors().isEmpty()) {
            return Optional.of(bucket.cors().stream().map(CorsRule::of).toList());
        }
        return bucket.backend().capabilities().contains(Capability.FORWARD)
                ? Optional.ofNullable(remembered.synchronous().getIfPresent(name))
                : Optional.of(List.of());
    }

    /** A backend that has none says so with an error; one in trouble must not keep an answer from its caller. */
    private static Mono<List<CorsRule>> ask(BucketView bucket) {
        ForwardRequest request = new ForwardRequest(
                "GET",
                bucket.real(),
                Optional.empty(),
                List.of(new QueryParameter("cors", "")),
                HeaderList.EMPTY,
                ByteBuffer.allocate(0));
        return bucket.backend()
                .forward(request)
                .map(answer -> parse(answer.body()))
                .timeout(PATIENCE)
                .onErrorResume(failure -> failure instanceof BackendException
                                || failure instanceof S3Exception
                                || failure instanceof TimeoutException
                        ? Mono.just(List.of())
                        : Mono.error(failure));
    }

    private static List<CorsRule> parse(ByteBuffer document) {
        byte[] bytes = new byte[document.remaining()];
        document.duplicate().get(bytes);
        return XmlParser.parse(bytes, "CORSConfiguration").all("CORSRule").stream()
                .map(CorsRule::of)
                .toList();
    }

    private static Optional<CorsRule> first(List<CorsRule> rules, String origin, String method) {
        return rules.stream().filter(rule -> rule.allows(origin, method)).findFirst();
    }

    private static HeaderList preflightFields(CorsRule rule, PreflightRequest asked) {
        HeaderList fields = fields(rule, asked.origin());
        if (!asked.headers().isEmpty()) {
            fields = fields.with("access-control-allow-headers", String.join(", ", asked.headers()));
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
