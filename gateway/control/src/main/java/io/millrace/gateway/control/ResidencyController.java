package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.control.MemberCall.ResidencyCall;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
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
 * a second and returns where the next one continues: here, and then at each other member whose cache is one with this.
 */
@RestController
@RequestMapping("/api/v1/residency")
final class ResidencyController {
    private static final int SCANS_OF_ONE = 2;
    private static final int SCANS = 4;

    private final Supplier<BucketRegistry> buckets;
    private final Authorizer authorizer;
    private final LocalResidency here;
    private final MemberCaller members;
    private final ConcurrencyLimiter steps = new ConcurrencyLimiter("scans under way", SCANS_OF_ONE, SCANS);

    ResidencyController(
            Supplier<BucketRegistry> buckets, Authorizer authorizer, LocalResidency here, MemberCaller members) {
        this.buckets = buckets;
        this.authorizer = authorizer;
        this.here = here;
        this.members = members;
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
        MemberScan scan = MemberScan.parse(from, members.members());
        Mono<ResidencyView> step = scan.isHere()
                ? here.step(view, prefix, delimiter, scan.from()).flatMap(found -> requireExisting(view, found))
                : ask(scan, view, prefix, delimiter);
        return steps.limit(principal, step).map(scan::ofAll);
    }

    private Mono<ResidencyView> ask(MemberScan scan, BucketView bucket, String prefix, String delimiter) {
        if (scan.others().isEmpty()) {
            throw ApiException.invalidField("from", "is of a member, but this gateway counts alone: begin anew");
        }
        MemberCall call = MemberCall.of(new ResidencyCall(bucket.name().value(), prefix, delimiter, scan.from()));
        return members.ask(scan.member(), call)
                .map(response -> Optional.ofNullable(response.residency())
                        .orElseGet(() ->
                                ResidencyView.unanswered(bucket, prefix, delimiter, scan.member(), response.whyNot())));
    }

    /**
     * Refuses a bucket of which nothing is stored and that its backend lacks: zero objects would look like an answer.
     */
    private static Mono<ResidencyView> requireExisting(BucketView bucket, ResidencyView step) {
        if (step.next().isPresent() || step.objects() > 0) {
            return Mono.just(step);
        }
        return bucket.isMissing()
                .filter(missing -> missing)
                .flatMap(missing -> Mono.<ResidencyView>error(BucketParameterValidator.missing(bucket)))
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
