package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import java.util.Arrays;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The buckets the caller sees. */
@RestController
@RequestMapping("/api/v1/buckets")
final class BucketsController {
    private final Buckets buckets;
    private final AccessPolicy policy;

    BucketsController(Buckets buckets, AccessPolicy policy) {
        this.buckets = buckets;
        this.policy = policy;
    }

    @GetMapping
    Mono<BucketList> list(@RequestAttribute(Caller.WHO) Principal who) {
        return buckets.all(name -> policy.seesBucket(who, name))
                .map(found -> new BucketList(found.stream()
                        .flatMap(bucket -> buckets.findAny(bucket.name()).stream())
                        .map(view -> BucketEntry.of(view, rights(who, view)))
                        .toList()));
    }

    private List<String> rights(Principal who, BucketView bucket) {
        return Arrays.stream(Right.values())
                .filter(right -> policy.allowsSomewhere(who, right, bucket.name()))
                .map(Right::text)
                .toList();
    }
}
