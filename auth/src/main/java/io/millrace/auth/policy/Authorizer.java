package io.millrace.auth.policy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.auth.policy.AccessScope.KeysBelow;
import io.millrace.auth.policy.AccessScope.Listing;
import io.millrace.auth.policy.AccessScope.Resource;
import io.millrace.auth.policy.AccessScope.Somewhere;
import io.millrace.auth.policy.AccessScope.Undenied;
import io.millrace.auth.policy.AccessScope.Version;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests: decides whether a principal may do an action, such as {@code s3:GetObject}, on a bucket or
 * object. A statement of the principal's own policies or of the bucket's must allow it, and none of either may deny it.
 * Anything else is denied. Every request is checked, before the cache is used. A decision depends only on the
 * arguments, the time and the policies, so it reveals nothing about existing objects. Thread-safe if {@code
 * bucketPolicies} is.
 */
public final class Authorizer {
    /** Some 10 MiB. */
    private static final int MOST_BOUND = 2_000;

    private final Function<BucketName, BucketPolicy> bucketPolicies;
    private final InstantSource clock;

    /**
     * Statements of buckets' policies with variables for those who sent requests: to make one takes longer than a
     * decision.
     */
    private final Cache<CallersStatement, Optional<PolicyStatement>> bound = Caffeine.newBuilder()
            .maximumSize(MOST_BOUND)
            .executor(Runnable::run)
            .build();

    /** A statement, and for whom its variables get values. */
    private record CallersStatement(PolicyStatement statement, PolicyText.VariableValues caller) {}

    /** Decides what session policies allow; those of buckets cannot add to it. */
    private final Authorizer limits;

    /** Creates an authorizer with the system's clock. */
    public Authorizer(Function<BucketName, BucketPolicy> bucketPolicies) {
        this(bucketPolicies, InstantSource.system());
    }

    /**
     * @param bucketPolicies returns the policy of a bucket; called for every request, so it must not block
     * @param clock for conditions on the time
     */
    public Authorizer(Function<BucketName, BucketPolicy> bucketPolicies, InstantSource clock) {
        this(bucketPolicies, clock, new Authorizer(bucket -> BucketPolicy.NONE, clock, null));
    }

    private Authorizer(
            Function<BucketName, BucketPolicy> bucketPolicies, InstantSource clock, @Nullable Authorizer limits) {
        this.bucketPolicies = bucketPolicies;
        this.clock = clock;
        this.limits = limits == null ? this : limits;
    }

    /** Decides whether {@code principal} may do {@code action} in all of the scope. */
    public AccessDecision decide(Principal principal, PolicyAction action, AccessScope scope) {
        AccessDecision own = ownDecision(principal, action, scope);
        Principal limit = principal.limit();
        return limit == null ? own : limits.decide(limit, action, scope).and(own);
    }

    /** Decides about each action of a right that can be done on the resource; allowed if there is none. */
    public AccessDecision decide(Principal principal, Right right, Resource resource) {
        for (PolicyAction action : right.actions()) {
            if (action.isOnObjects() == resource.key().isPresent()) {
                AccessDecision decision = decide(principal, action, resource);
                if (!decision.isAllowed()) {
                    return decision;
                }
            }
        }
        return AccessDecision.ALLOWED;
    }

    /** Returns whether {@code principal} may do anything in the bucket and may therefore know that it exists. */
    public boolean seesBucket(Principal principal, BucketName bucket) {
        Set<PolicyAction> actions = possible(principal, bucket);
        Principal limit = principal.limit();
        if (limit != null) {
            actions.retainAll(limits.possible(limit, bucket));
        }
        return !actions.isEmpty();
    }

    /** Decides by the policies of the principal and of the bucket, without the session policy. */
    private AccessDecision ownDecision(Principal principal, PolicyAction action, AccessScope scope) {
        if (scope instanceof Version version) {
            return onVersion(principal, action, version.resource());
        }
        if (scope instanceof Resource resource) {
            return onResource(principal, action, resource);
        }
        if (scope instanceof Listing listing) {
            return onListing(principal, action, listing);
        }
        if (scope instanceof KeysBelow keys) {
            String folded = KeyPathNormalizer.normalize(keys.prefix());
            return onKeysAsNamed(principal, action, keys.bucket(), keys.prefix())
                    .and(onKeysAsNamed(principal, action, keys.bucket(), folded));
        }
        if (scope instanceof Somewhere in) {
            return possible(principal, in.bucket()).contains(action)
                    ? AccessDecision.ALLOWED
                    : AccessDecision.NOT_ALLOWED;
        }
        if (scope instanceof Undenied undenied) {
            return mayDeny(principal, undenied.resource().bucket())
                    ? AccessDecision.NOT_ALLOWED
                    : onResource(principal, action, undenied.resource());
        }
        return everywhere(principal, action);
    }

    private AccessDecision onVersion(Principal principal, PolicyAction action, Resource resource) {
        Optional<String> versionId = resource.parameters().find("versionId");
        if (versionId.isEmpty()) {
            return onResource(principal, action, resource);
        }
        AccessDecision onVersion = onResource(principal, action.ofVersion(), resource);
        return versionId.get().equals("null")
                ? onVersion.and(onResource(principal, action, resource.with(RequestParameters.NONE)))
                : onVersion;
    }

    /**
     * Not every backend distinguishes {@code a/../b} from {@code b}, or {@code /b} and {@code a//b} from {@code b} and
     * {@code a/b}. Both the key as named and its normalized form must be allowed.
     */
    private AccessDecision onResource(Principal principal, PolicyAction action, Resource resource) {
        AccessDecision named = asNamed(principal, action, resource);
        if (resource.key().isEmpty()) {
            return named;
        }
        ObjectKey key = resource.key().get();
        if (KeyPathNormalizer.normalize(key.value()).isEmpty()) {
            return named.and(
                    onKeysAsNamed(principal, action, resource.bucket(), "").ofAlias());
        }
        Optional<ObjectKey> alias = KeyPathNormalizer.alias(key);
        return alias.isEmpty()
                ? named
                : named.and(asNamed(principal, action, resource.at(alias)).ofAlias());
    }

    private AccessDecision onListing(Principal principal, PolicyAction action, Listing listing) {
        RequestParameters parameters = listing.parameters();
        Resource bucket = AccessScope.bucket(listing.bucket()).with(parameters);
        AccessDecision named = asNamed(principal, action, bucket);
        String prefix = parameters.find("prefix").orElse("");
        String folded = KeyPathNormalizer.normalize(prefix);
        return folded.equals(prefix)
                ? named
                : named.and(asNamed(principal, action, bucket.with(parameters.withPrefix(folded))));
    }

    private AccessDecision onKeysAsNamed(Principal principal, PolicyAction action, BucketName bucket, String prefix) {
        PolicyStatement allowing = null;
        for (PolicyStatement statement : statements(principal, bucket)) {
            if (!statement.allows() && statement.touches(principal, action, bucket, prefix, clock)) {
                return AccessDecision.NOT_ALLOWED;
            }
            if (statement.allows() && statement.covers(principal, action, bucket, prefix, clock)) {
                allowing = statement;
            }
        }
        return AccessDecision.by(allowing);
    }

    private AccessDecision everywhere(Principal principal, PolicyAction action) {
        PolicyStatement allowing = null;
        boolean isDeniedSomewhere = false;
        for (PolicyStatement statement : principal.statements()) {
            boolean isOnAll = statement.coversEverything(principal, action, clock);
            if (isOnAll && !statement.allows()) {
                return AccessDecision.by(statement);
            }
            allowing = isOnAll ? statement : allowing;
            isDeniedSomewhere |= !statement.allows() && statement.touches(principal, action, clock);
        }
        return isDeniedSomewhere ? AccessDecision.NOT_ALLOWED : AccessDecision.by(allowing);
    }

    /** Returns whether a statement denies the principal anything in the bucket, under whatever conditions. */
    private boolean mayDeny(Principal principal, BucketName bucket) {
        if (principal.isLimited()) {
            return true;
        }
        for (PolicyStatement statement : statements(principal, bucket)) {
            if (!statement.allows() && statement.touches(bucket)) {
                return true;
            }
        }
        return false;
    }

    /** Decides by the first statement that denies; without one, by the first that allows. */
    private AccessDecision asNamed(Principal principal, PolicyAction action, Resource resource) {
        BucketName bucket = resource.bucket();
        Optional<ObjectKey> key = resource.key();
        EvaluationContext request = new EvaluationContext(principal, resource.parameters(), clock);
        PolicyStatement allowing = null;
        for (PolicyStatement statement : principal.statements()) {
            // A statement that allows cannot change what another has allowed.
            if ((allowing == null || !statement.allows()) && statement.applies(request, action, bucket, key)) {
                if (!statement.allows()) {
                    return AccessDecision.by(statement);
                }
                allowing = statement;
            }
        }
        List<PolicyStatement> ofBucket = bucketPolicies.apply(bucket).statements();
        for (int i = 0; i < ofBucket.size(); i++) {
            PolicyStatement written = ofBucket.get(i);
            PolicyStatement statement = allowing == null || !written.allows() ? forCaller(written, principal) : null;
            if (statement != null && statement.applies(request, action, bucket, key)) {
                if (!statement.allows()) {
                    return AccessDecision.by(statement);
                }
                allowing = statement;
            }
        }
        return AccessDecision.by(allowing);
    }

    /** Returns the actions that are allowed in a bucket on some key, with some parameters. */
    private Set<PolicyAction> possible(Principal principal, BucketName bucket) {
        Set<PolicyAction> allowed = EnumSet.noneOf(PolicyAction.class);
        Set<PolicyAction> denied = EnumSet.noneOf(PolicyAction.class);
        for (PolicyStatement statement : statements(principal, bucket)) {
            if (statement.allows()) {
                statement.addPossible(principal, bucket, allowed, clock);
            } else {
                statement.addCertain(principal, bucket, denied, clock);
            }
        }
        allowed.removeAll(denied);
        return allowed;
    }

    private List<PolicyStatement> statements(Principal principal, BucketName bucket) {
        List<PolicyStatement> ofBucket = bucketPolicies.apply(bucket).statements();
        if (ofBucket.isEmpty()) {
            return List.of(principal.statements());
        }
        List<PolicyStatement> all = new ArrayList<>(List.of(principal.statements()));
        for (PolicyStatement statement : ofBucket) {
            PolicyStatement bound = forCaller(statement, principal);
            if (bound != null) {
                all.add(bound);
            }
        }
        return all;
    }

    /** Returns a statement of a bucket's policy for a caller; null if it does not concern him. */
    private @Nullable PolicyStatement forCaller(PolicyStatement statement, Principal principal) {
        if (!statement.principals().include(principal, statement.allows())) {
            return null;
        }
        return statement.hasVariables()
                ? bound.get(
                                new CallersStatement(statement, principal.variables()),
                                one -> one.statement().boundTo(one.caller()))
                        .orElse(null)
                : statement;
    }
}
