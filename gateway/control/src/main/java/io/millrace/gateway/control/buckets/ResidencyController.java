package io.millrace.gateway.control.buckets;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.control.request.ApiException;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.control.request.ConcurrencyLimiter;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.residency.CacheResidency;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/residency}: how much of a bucket or prefix is cached. Tracked prefixes are answered at once. Any other
 * request scans all metadata, so only one of these runs at a time.
 */
@RestController
@RequestMapping("/api/v1/residency")
public final class ResidencyController {
    /** Bounds the response for a folder of millions of objects. */
    private static final int MOST_CHILDREN = 1000;

    /** Time that one step of a scan takes: short enough to show progress. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final BucketRegistry buckets;
    private final AccessPolicy policy;
    private final Optional<CacheResidency> residents;
    private final ExclusiveExecution diskReads = new ExclusiveExecution();
    private final ConcurrencyLimiter lists = new ConcurrencyLimiter("lists of buckets under way", 2, 4);
    private final ConcurrencyLimiter steps = new ConcurrencyLimiter("readings of the disks under way", 2, 4);

    /** @param residents empty if there is no cache */
    public ResidencyController(BucketRegistry buckets, AccessPolicy policy, Optional<CacheResidency> residents) {
        this.buckets = buckets;
        this.policy = policy;
        this.residents = residents;
    }

    @GetMapping
    Mono<ResidencyView> of(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal who,
            @RequestParam Optional<String> bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String delimiter,
            @RequestParam Optional<String> from) {
        BucketName name = BucketParameters.bucket(bucket.orElse(null));
        requireList(who, name, prefix);
        BucketView view = BucketParameters.findBucket(buckets, name);
        CacheResidency cached = residents.orElseThrow(
                () -> ApiException.of(HttpStatus.NOT_IMPLEMENTED, "There is no cache: add a disk below cache.disks."));
        return from.isPresent()
                ? steps.limit(who, step(cached, view, name, prefix, from.get()))
                : read(cached, view, name, prefix, delimiter);
    }

    /** Lists the bucket at its backend, to compare its size with what is cached. Each step costs ten list requests. */
    @GetMapping("/listed")
    Mono<ListingTotals> listed(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal who,
            @RequestParam Optional<String> bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String from) {
        BucketName name = BucketParameters.bucket(bucket.orElse(null));
        requireList(who, name, prefix);
        return lists.limit(who, ListingTotals.step(BucketParameters.findBucket(buckets, name), prefix, from));
    }

    private void requireList(Principal who, BucketName name, String prefix) {
        if (!policy.allowsListing(who, name, prefix)) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "This needs the right list on s3://%s/%s".formatted(name, prefix));
        }
    }

    /** Runs one step of a scan, from the beginning or from the {@code next} of the step before. */
    private Mono<ResidencyView> step(
            CacheResidency cached, BucketView view, BucketName name, String prefix, String from) {
        try {
            return cached.step(view, prefix, from.isEmpty() ? Optional.empty() : Optional.of(from), STEP)
                    .map(step -> ResidencyView.of(name, prefix, step));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("from", "is empty, or what a step has answered as next");
        }
    }

    private Mono<ResidencyView> read(
            CacheResidency cached, BucketView view, BucketName name, String prefix, String delimiter) {
        return delimiter.isEmpty()
                ? diskReads.run(cached.residency(view, prefix)).map(found -> ResidencyView.of(name, prefix, found))
                : diskReads
                        .run(cached.children(view, prefix, delimiter, MOST_CHILDREN))
                        .map(found -> ResidencyView.of(name, prefix, delimiter, found));
    }
}
