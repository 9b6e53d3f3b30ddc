package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.freshness.Standing;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Tells what the next GET of an object would do. No backend is asked, and nothing changes by being asked. */
@RestController
@RequestMapping("/api/v1/explain")
final class ExplainController {
    private final Buckets buckets;
    private final AccessPolicy policy;
    private final CachedObjects objects;
    private final FairShare share;

    /** @param share of the looks at all blocks of objects */
    ExplainController(Buckets buckets, AccessPolicy policy, CachedObjects objects, FairShare share) {
        this.buckets = buckets;
        this.policy = policy;
        this.objects = objects;
        this.share = share;
    }

    @GetMapping
    Mono<Explanation> explain(
            @RequestAttribute(Caller.WHO) Principal who,
            @RequestParam Optional<String> bucket,
            @RequestParam Optional<String> key) {
        BucketName name = Names.bucket(bucket.orElse(null));
        ObjectKey object = Names.key(key.orElse(null));
        if (!policy.allows(who, Right.READ, name, Optional.of(object))) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "This takes the right read on s3://%s/%s".formatted(name, object));
        }
        BucketView view = Names.view(buckets, name);
        boolean lists = policy.allowsListing(who, name, object.value());
        ObjectRef real = view.at(object);
        Reason reason = new Reason(view, view.rule(real), objects.haveCache());
        return share.of(who, objects.standing(view, real))
                .switchIfEmpty(Mono.error(ExplainController::tooMany))
                .map(standing -> lists ? standing : hidden(standing))
                .map(standing -> Explanation.of(view, object.value(), standing, reason.of(standing)));
    }

    private static ApiException tooMany() {
        return ApiException.of(
                HttpStatus.TOO_MANY_REQUESTS, "The blocks of many large objects are being counted; ask again later.");
    }

    /** To whom a missing key looks like a forbidden one, it is not told here either. */
    private static Standing hidden(Standing standing) {
        return standing.next() == Standing.Next.MISSING ? standing.unknown() : standing;
    }
}
