package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/residency}: how much of a bucket or prefix is cached. A request scans stored metadata for about
 * a second and returns where the next one continues.
 */
@RestController
@RequestMapping("/api/v1/residency")
final class ResidencyController {
    private static final int SCANS_OF_ONE = 2;
    private static final int SCANS = 4;

    /** Bounds the response for a folder of millions of objects. */
    private static final int MAX_CHILDREN = 1000;

    /** Time that one step of a scan takes: short enough to show progress. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Supplier<BucketRegistry> buckets;
    private final Authorizer authorizer;
    private final Optional<CacheResidency> residents;
    private final ConcurrencyLimiter steps = new ConcurrencyLimiter("scans under way", SCANS_OF_ONE, SCANS);

    /** @param residents empty if there is no cache */
    ResidencyController(Supplier<BucketRegistry> buckets, Authorizer authorizer, Optional<CacheResidency> residents) {
        this.buckets = buckets;
        this.authorizer = authorizer;
        this.residents = residents;
    }

    @GetMapping
    Mono<ResidencyView> of(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam Optional<String> bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String delimiter,
            @RequestParam(defaultValue = "") String from) {
        BucketName name = BucketParameterValidator.bucket(bucket.orElse(null));
        requireList(principal, name, prefix);
        BucketView view = BucketParameterValidator.findBucket(buckets.get(), name);
        CacheResidency cached = residents.orElseThrow(
                () -> ApiException.of(HttpStatus.NOT_IMPLEMENTED, "There is no cache: add a disk below cache.disks."));
        Optional<String> position = from.isEmpty() ? Optional.empty() : Optional.of(from);
        try {
            return steps.limit(principal, cached.step(view, prefix, delimiter, MAX_CHILDREN, position, STEP))
                    .flatMap(step -> requireExisting(view, step))
                    .map(step -> ResidencyView.of(view, prefix, delimiter, step));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("from", "is empty, or what a step has answered as next");
        }
    }

    /**
     * Refuses a bucket of which nothing is stored and that its backend lacks: zero objects would look like an answer.
     */
    private static Mono<CacheResidency.ScanStep> requireExisting(BucketView bucket, CacheResidency.ScanStep step) {
        if (step.next().isPresent() || step.found().all().objects() > 0) {
            return Mono.just(step);
        }
        return bucket.isMissing()
                .filter(missing -> missing)
                .flatMap(missing -> Mono.<CacheResidency.ScanStep>error(BucketParameterValidator.missing(bucket)))
                .defaultIfEmpty(step);
    }

    private void requireList(Principal principal, BucketName name, String prefix) {
        AccessScope undenied = new AccessScope.Undenied(AccessScope.bucket(name));
        if (!authorizer
                        .decide(principal, PolicyAction.LIST_BUCKET, AccessScope.listing(name, prefix))
                        .isAllowed()
                && !authorizer.decide(principal, PolicyAction.VIEW, undenied).isAllowed()) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "This needs the right list on s3://%s/%s, or view on the bucket and no denial there"
                            .formatted(name, prefix));
        }
    }
}
