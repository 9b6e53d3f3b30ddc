package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.Residents;
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
 * How much of a bucket is cached. What is counted is told at once; for all else it reads all that the disks know, and so one question at a
 * time is answered.
 */
@RestController
@RequestMapping("/api/v1/residency")
final class ResidencyController {
    /** As many as anybody reads; a folder of millions must not be an answer of gigabytes. */
    private static final int MOST_CHILDREN = 1000;

    /** Of a reading in steps: short enough to show how far it is. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Buckets buckets;
    private final AccessPolicy policy;
    private final Optional<Residents> residents;
    private final OneAtATime turn = new OneAtATime();
    private final FairShare lists = new FairShare("lists of buckets under way", 2, 4);
    private final FairShare steps = new FairShare("readings of the disks under way", 2, 4);

    /** @param residents none if there is no cache */
    ResidencyController(Buckets buckets, AccessPolicy policy, Optional<Residents> residents) {
        this.buckets = buckets;
        this.policy = policy;
        this.residents = residents;
    }

    @GetMapping
    Mono<ResidencyView> of(
            @RequestAttribute(Caller.WHO) Principal who,
            @RequestParam Optional<String> bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String delimiter,
            @RequestParam Optional<String> from) {
        BucketName name = Names.bucket(bucket.orElse(null));
        requireList(who, name, prefix);
        BucketView view = Names.view(buckets, name);
        Residents cached = residents.orElseThrow(
                () -> ApiException.of(HttpStatus.NOT_IMPLEMENTED, "There is no cache: add a disk below cache.disks."));
        return from.isPresent()
                ? steps.of(who, step(cached, view, name, prefix, from.get()))
                : read(cached, view, name, prefix, delimiter);
    }

    /** What the bucket itself lists, for whoever wants to know how much of it is cached: costs the backend lists. */
    @GetMapping("/listed")
    Mono<ListedView> listed(
            @RequestAttribute(Caller.WHO) Principal who,
            @RequestParam Optional<String> bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String from) {
        BucketName name = Names.bucket(bucket.orElse(null));
        requireList(who, name, prefix);
        return lists.of(who, ListedView.step(Names.view(buckets, name), prefix, from));
    }

    private void requireList(Principal who, BucketName name, String prefix) {
        if (!policy.allowsListing(who, name, prefix)) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "This needs the right list on s3://%s/%s".formatted(name, prefix));
        }
    }

    /** Empty begins; what a step answers goes on. */
    private Mono<ResidencyView> step(Residents cached, BucketView view, BucketName name, String prefix, String from) {
        try {
            return cached.step(view, prefix, from.isEmpty() ? Optional.empty() : Optional.of(from), STEP)
                    .map(step -> ResidencyView.of(name, prefix, step));
        } catch (IllegalArgumentException e) {
            throw ApiException.field("from", "is empty, or what a step has answered as next");
        }
    }

    private Mono<ResidencyView> read(
            Residents cached, BucketView view, BucketName name, String prefix, String delimiter) {
        return delimiter.isEmpty()
                ? turn.of(cached.residency(view, prefix)).map(found -> ResidencyView.of(name, prefix, found))
                : turn.of(cached.children(view, prefix, delimiter, MOST_CHILDREN))
                        .map(found -> ResidencyView.of(name, prefix, delimiter, found));
    }
}
