package io.millrace.gateway.control.buckets;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.control.request.ApiException;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.control.request.ConcurrencyLimiter;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.objects.read.ReadPreview;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Serves {@code /api/v1/explain}: what the next GET of an object would do. It sends no request to a backend and changes nothing. */
@RestController
@RequestMapping("/api/v1/explain")
public final class ExplainController {
    private final BucketRegistry buckets;
    private final AccessPolicy policy;
    private final CachedObjects objects;
    private final ConcurrencyLimiter limiter;

    /** @param share limits the scans of all blocks of an object */
    public ExplainController(
            BucketRegistry buckets, AccessPolicy policy, CachedObjects objects, ConcurrencyLimiter share) {
        this.buckets = buckets;
        this.policy = policy;
        this.objects = objects;
        this.limiter = share;
    }

    @GetMapping
    Mono<Explanation> explain(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam Optional<String> bucket,
            @RequestParam Optional<String> key) {
        BucketName name = BucketParameters.bucket(bucket.orElse(null));
        ObjectKey object = BucketParameters.key(key.orElse(null));
        if (!policy.allows(principal, Right.READ, name, Optional.of(object))) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "This needs the right read on s3://%s/%s".formatted(name, object));
        }
        BucketView view = BucketParameters.findBucket(buckets, name);
        boolean lists = policy.allowsListing(principal, name, object.value());
        ObjectRef real = view.at(object);
        ExplanationText reason = new ExplanationText(view, view.rule(real), objects.isCaching());
        return limiter.limit(principal, objects.previewRead(view, real))
                .switchIfEmpty(Mono.error(ExplainController::tooMany))
                .map(preview -> lists ? preview : hidden(preview))
                .map(preview -> Explanation.of(view, object.value(), preview, reason.describe(preview)));
    }

    private static ApiException tooMany() {
        return ApiException.of(HttpStatus.TOO_MANY_REQUESTS, "Too many large objects are being scanned: retry later.");
    }

    /** Hides that a key is missing from callers without the right to list, as GET does. */
    private static ReadPreview hidden(ReadPreview preview) {
        return preview.next() == ReadPreview.Next.MISSING ? preview.unknown() : preview;
    }
}
