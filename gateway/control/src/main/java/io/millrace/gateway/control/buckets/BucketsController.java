package io.millrace.gateway.control.buckets;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.gateway.control.request.AuthenticatedCaller;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Arrays;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Serves {@code /api/v1/buckets}: the buckets that the caller may see. */
@RestController
@RequestMapping("/api/v1/buckets")
public final class BucketsController {
    private final BucketRegistry buckets;
    private final AccessPolicy policy;

    /** The response that lists buckets, sorted by name. */
    public record BucketList(List<BucketSummary> buckets) {}

    public BucketsController(BucketRegistry buckets, AccessPolicy policy) {
        this.buckets = buckets;
        this.policy = policy;
    }

    @GetMapping
    Mono<BucketList> list(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        return buckets.listAll(name -> policy.seesBucket(principal, name))
                .map(found -> new BucketList(found.stream()
                        .flatMap(bucket -> buckets.findAny(bucket.name()).stream())
                        .map(view -> BucketSummary.of(view, rights(principal, view)))
                        .toList()));
    }

    private List<String> rights(Principal principal, BucketView bucket) {
        return Arrays.stream(Right.values())
                .filter(right -> policy.allowsSomewhere(principal, right, bucket.name()))
                .map(Right::text)
                .toList();
    }
}
