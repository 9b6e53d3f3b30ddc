package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.control.MemberCall.ExplainCall;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ReadPreview;
import java.util.List;
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
 * Serves {@code /api/v1/explain}: what the next GET of an object would do. It changes nothing, and sends no request to
 * a backend but to find out whether the bucket of an object that is not cached exists.
 *
 * @param limiter limits the scans of all blocks of an object
 */
@RestController
@RequestMapping("/api/v1/explain")
record ExplainController(
        Supplier<BucketRegistry> buckets,
        Authorizer authorizer,
        CurrentObjectFinder objects,
        ArchiveIndexes archives,
        RecentRequestSource recent,
        ConcurrencyLimiter limiter,
        MemberCaller members) {
    @GetMapping
    Mono<NextGetExplanation> explain(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam Optional<String> bucket,
            @RequestParam Optional<String> key) {
        BucketName name = BucketParameterValidator.bucket(bucket.orElse(null));
        ObjectKey object = BucketParameterValidator.key(key.orElse(null));
        boolean views = views(principal, name);
        if (!views && !allows(principal, PolicyAction.GET_OBJECT, AccessScope.object(name, object))) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "This needs the right read on s3://%s/%s, or view on the bucket and no denial there"
                            .formatted(name, object));
        }
        BucketView view = BucketParameterValidator.findBucket(buckets.get(), name);
        boolean lists = views || allows(principal, PolicyAction.LIST_BUCKET, AccessScope.listing(name, object.value()));
        ExplainedObject explained = ExplainedObject.of(view, view.at(object));
        BucketView ruled = explained.ruled();
        NextGetSentence reason = new NextGetSentence(ruled, ruled.rule(explained.cached()), objects.isCaching());
        Mono<CheckedPreview> preview = objects.previewer()
                .preview(view, explained.object())
                .flatMap(known -> requireExisting(view, known))
                .flatMap(known -> home(explained, name, object, lists).map(known::withHome));
        return limiter.limit(principal, preview)
                .switchIfEmpty(Mono.error(ExplainController::tooMany))
                .map(found -> {
                    ReadPreview known = shown(found.preview(), lists);
                    // It tells which keys there are.
                    Optional<ExplainedArchive> archive = lists ? explained.archive(known, archives) : Optional.empty();
                    ReadPreview outcome = explained.outcome(known, archive);
                    String sentence = found.isBackendDown() ? reason.describeFailure() : reason.describe(known);
                    String home = found.home().map(HomeState::describe).orElse("");
                    return NextGetExplanation.of(
                            view,
                            object.value(),
                            ruled,
                            outcome,
                            explained.known(known, archive),
                            archive.map(ArchiveExplanation::of),
                            // Who may read or view what is made need not know anything of what it is made of.
                            views && views(principal, ruled.name()) ? explained.transform(known) : Optional.empty(),
                            found.home(),
                            explained.describe(outcome, archive, sentence) + home,
                            lists ? recent.last(name, object) : List.of());
                });
    }

    private boolean views(Principal principal, BucketName bucket) {
        return allows(principal, PolicyAction.VIEW, new AccessScope.Undenied(AccessScope.bucket(bucket)));
    }

    private boolean allows(Principal principal, PolicyAction action, AccessScope scope) {
        return authorizer.decide(principal, action, scope).isAllowed();
    }

    /** Refuses an unknown object of a bucket that its backend lacks: a fetch would look like an answer. */
    private static Mono<CheckedPreview> requireExisting(BucketView bucket, ReadPreview preview) {
        CheckedPreview found = new CheckedPreview(preview, false, Optional.empty());
        return preview.next() != ReadPreview.Next.MISS
                ? Mono.just(found)
                : bucket.findFault()
                        .flatMap(fault -> fault == FailureKind.NO_SUCH_BUCKET
                                ? Mono.<CheckedPreview>error(BucketParameterValidator.missing(bucket))
                                : Mono.just(found.withBackendDown(fault == FailureKind.UNAVAILABLE)))
                        .defaultIfEmpty(found);
    }

    /** Returns what the home of the object says; empty if it has none, or none that could be asked instead. */
    private Mono<Optional<HomeState>> home(ExplainedObject explained, BucketName bucket, ObjectKey key, boolean lists) {
        Optional<String> home = members.members().home(explained.ruled(), explained.cached());
        if (home.isEmpty()) {
            return Mono.just(Optional.empty());
        }
        String member = home.get();
        if (member.equals(members.members().self())) {
            return Mono.just(Optional.of(HomeState.ofSelf(member)));
        }
        return members.ask(member, MemberCall.of(new ExplainCall(bucket.value(), key.value(), lists)))
                .map(response -> Optional.ofNullable(response.home())
                        .or(() -> Optional.of(HomeState.ofProblem(member, response.whyNot()))));
    }

    /**
     * A preview, and whether the backend that it would fetch from was asked and did not response.
     *
     * @param home empty if the object has none
     */
    private record CheckedPreview(ReadPreview preview, boolean isBackendDown, Optional<HomeState> home) {
        CheckedPreview withBackendDown(boolean backendDown) {
            return new CheckedPreview(preview, backendDown, home);
        }

        CheckedPreview withHome(Optional<HomeState> atHome) {
            return new CheckedPreview(preview, isBackendDown, atHome);
        }
    }

    private static ApiException tooMany() {
        return ApiException.of(HttpStatus.TOO_MANY_REQUESTS, "Too many large objects are being scanned: retry later.");
    }

    /** Hides that a key is missing from callers without the right to list, as GET does. */
    static ReadPreview shown(ReadPreview preview, boolean lists) {
        return !lists && preview.next() == ReadPreview.Next.MISSING ? preview.unknown() : preview;
    }
}
