package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Serves {@code /api/v1/buckets}: the buckets that the caller may see. */
@RestController
@RequestMapping("/api/v1/buckets")
record BucketsController(Supplier<BucketRegistry> buckets, Authorizer authorizer) {
    /** The response that lists buckets, sorted by name. */
    record BucketList(List<BucketSummary> buckets) {}

    @GetMapping
    Mono<BucketList> list(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        BucketRegistry now = buckets.get();
        return now.listAll(name -> authorizer.seesBucket(principal, name))
                .map(found -> new BucketList(found.stream()
                        .flatMap(bucket -> now.findAny(bucket.name()).stream())
                        .map(view -> BucketSummary.of(view, rights(principal, view)))
                        .toList()));
    }

    private List<String> rights(Principal principal, BucketView bucket) {
        AccessScope scope = new AccessScope.Somewhere(bucket.name());
        return Arrays.stream(Right.values())
                .filter(right ->
                        authorizer.decide(principal, right.action(), scope).isAllowed())
                .map(Right::text)
                .toList();
    }
}
