package io.millrace.auth.policy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
 *
 * <p>Questions about many keys are decided for all possible keys, existing or not.
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

    /**
     * Returns whether {@code principal} may do {@code action} on an object, or on a bucket.
     *
     * @param key empty for the bucket itself
     */
    public boolean allows(Principal principal, PolicyAction action, BucketName bucket, Optional<ObjectKey> key) {
        return allows(principal, action, bucket, key, RequestParameters.NONE);
    }

    /**
     * Returns whether {@code principal} may do {@code action}, as above.
     *
     * @param parameters those of the request that conditions may depend on
     */
    public boolean allows(
            Principal principal,
            PolicyAction action,
            BucketName bucket,
            Optional<ObjectKey> key,
            RequestParameters parameters) {
        if (!isAllow(deciding(principal, action, bucket, key, parameters))) {
            return false;
        }
        Principal limit = principal.limit();
        if (limit != null && !limits.allows(limit, action, bucket, key, parameters)) {
            return false;
        }
        return key.isEmpty() || allowsFolded(principal, action, bucket, key.get(), parameters);
    }

    /**
     * Returns whether {@code principal} may do {@code action} on an object, or on the version of it that {@code
     * parameters} name, which needs {@link PolicyAction#ofVersion its like for a version}. Where there are no versions,
     * the version {@code null} is the object itself, so it needs both.
     */
    public boolean allowsOnVersion(
            Principal principal,
            PolicyAction action,
            BucketName bucket,
            Optional<ObjectKey> key,
            RequestParameters parameters) {
        Optional<String> versionId = parameters.find("versionId");
        if (versionId.isEmpty()) {
            return allows(principal, action, bucket, key);
        }
        return allows(principal, action.ofVersion(), bucket, key, parameters)
                && (!versionId.get().equals("null") || allows(principal, action, bucket, key));
    }

    /**
     * Not every backend distinguishes {@code a/../b} from {@code b}, or {@code /b} and {@code a//b} from {@code b} and
     * {@code a/b}. Both the key as named and its normalized form must be allowed.
     */
    private boolean allowsFolded(
            Principal principal, PolicyAction action, BucketName bucket, ObjectKey key, RequestParameters parameters) {
        if (KeyPathNormalizer.normalize(key.value()).isEmpty()) {
            return allowsBelowAsNamed(principal, action, bucket, "");
        }
        Optional<ObjectKey> other = KeyPathNormalizer.alias(key);
        return other.isEmpty() || isAllow(deciding(principal, action, bucket, other, parameters));
    }

    /** Returns whether {@code principal} may do all that a right is made of, as {@link #allows} decides. */
    public boolean allowsAll(Principal principal, Right right, BucketName bucket, Optional<ObjectKey> key) {
        for (PolicyAction action : right.actions()) {
            if (action.isOnObjects() == key.isPresent() && !allows(principal, action, bucket, key)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether {@code principal} may list the keys that begin with {@code prefix}, whatever keys exist.
     *
     * @param prefix empty for the bucket
     */
    public boolean allowsListing(Principal principal, BucketName bucket, String prefix) {
        return allowsListing(principal, PolicyAction.LIST_BUCKET, bucket, RequestParameters.NONE.withPrefix(prefix));
    }

    /**
     * Returns whether {@code principal} may list in a bucket, both with the prefix as named and with its normalized
     * form.
     *
     * @param action to list objects, versions or uploads
     */
    public boolean allowsListing(
            Principal principal, PolicyAction action, BucketName bucket, RequestParameters parameters) {
        if (!isAllow(deciding(principal, action, bucket, Optional.empty(), parameters))) {
            return false;
        }
        Principal limit = principal.limit();
        if (limit != null && !limits.allowsListing(limit, action, bucket, parameters)) {
            return false;
        }
        String prefix = parameters.find("prefix").orElse("");
        String other = KeyPathNormalizer.normalize(prefix);
        return other.equals(prefix)
                || isAllow(deciding(principal, action, bucket, Optional.empty(), parameters.withPrefix(other)));
    }

    /** Returns whether {@code principal} may do {@code action} on every key that begins with {@code prefix}. */
    public boolean allowsBelow(Principal principal, PolicyAction action, BucketName bucket, String prefix) {
        Principal limit = principal.limit();
        return allowsBelowAsNamed(principal, action, bucket, prefix)
                && allowsBelowAsNamed(principal, action, bucket, KeyPathNormalizer.normalize(prefix))
                && (limit == null || limits.allowsBelow(limit, action, bucket, prefix));
    }

    private boolean allowsBelowAsNamed(Principal principal, PolicyAction action, BucketName bucket, String prefix) {
        boolean allowed = false;
        for (PolicyStatement statement : statements(principal, bucket)) {
            if (!statement.allows() && statement.touches(principal, action, bucket, prefix, clock)) {
                return false;
            }
            allowed |= statement.allows() && statement.covers(principal, action, bucket, prefix, clock);
        }
        return allowed;
    }

    /**
     * Returns whether {@code principal} may do {@code action} in the bucket on at least one possible key, or with some
     * parameters. It may be wrong only in saying so: each key is to be decided on its own.
     */
    public boolean allowsSomewhere(Principal principal, PolicyAction action, BucketName bucket) {
        return possible(principal, bucket).contains(action);
    }

    /**
     * Returns whether {@code principal} may do {@code action} in every bucket by its own policies. With
     * {@link PolicyAction#ADMINISTER} that makes an operator.
     */
    public boolean allowsEverywhere(Principal principal, PolicyAction action) {
        boolean allowed = false;
        for (PolicyStatement statement : principal.statements()) {
            if (!statement.allows() && statement.touches(principal, action, clock)) {
                return false;
            }
            allowed |= statement.allows() && statement.coversEverything(principal, action, clock);
        }
        Principal limit = principal.limit();
        return allowed && (limit == null || limits.allowsEverywhere(limit, action));
    }

    /** Returns whether {@code principal} may do anything in the bucket and may therefore know that it exists. */
    public boolean seesBucket(Principal principal, BucketName bucket) {
        return !possible(principal, bucket).isEmpty();
    }

    /** Returns whether a statement denies {@code action}, even if others allow it. */
    public boolean denies(Principal principal, PolicyAction action, BucketName bucket, Optional<ObjectKey> key) {
        Principal limit = principal.limit();
        if (limit != null && limits.denies(limit, action, bucket, key)) {
            return true;
        }
        PolicyStatement statement = deciding(principal, action, bucket, key, RequestParameters.NONE);
        Optional<ObjectKey> other = key.flatMap(KeyPathNormalizer::alias);
        return isDeny(statement)
                || (other.isPresent() && isDeny(deciding(principal, action, bucket, other, RequestParameters.NONE)));
    }

    /** Returns whether a policy of the principal denies {@code action} on all buckets. */
    public boolean deniesEverywhere(Principal principal, PolicyAction action) {
        for (PolicyStatement statement : principal.statements()) {
            if (!statement.allows() && statement.coversEverything(principal, action, clock)) {
                return true;
            }
        }
        Principal limit = principal.limit();
        return limit != null && limits.deniesEverywhere(limit, action);
    }

    /** Returns whether a statement denies the principal anything in the bucket, under whatever conditions. */
    public boolean mayDeny(Principal principal, BucketName bucket) {
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

    /**
     * Returns whether a right on a bucket stands for those on its objects: it is allowed, and no statement denies the
     * principal anything there, which a right on the bucket must not get around.
     */
    public boolean allowsThroughout(Principal principal, PolicyAction action, BucketName bucket) {
        return allows(principal, action, bucket, Optional.empty()) && !mayDeny(principal, bucket);
    }

    /** Returns the decision of {@link #allows} for the key as named, with its reason. */
    public AccessDecision explain(
            Principal principal,
            PolicyAction action,
            BucketName bucket,
            Optional<ObjectKey> key,
            RequestParameters parameters) {
        PolicyStatement statement = deciding(principal, action, bucket, key, parameters);
        Principal limit = principal.limit();
        return new AccessDecision(Optional.ofNullable(
                isAllow(statement) && limit != null
                        ? limits.deciding(limit, action, bucket, key, parameters)
                        : statement));
    }

    /** Returns the first statement that denies; without one, the first that allows. */
    private @Nullable PolicyStatement deciding(
            Principal principal,
            PolicyAction action,
            BucketName bucket,
            Optional<ObjectKey> key,
            RequestParameters parameters) {
        EvaluationContext request = new EvaluationContext(principal, parameters, clock);
        PolicyStatement allowing = null;
        for (PolicyStatement statement : principal.statements()) {
            // A statement that allows cannot change what another has allowed.
            if ((allowing == null || !statement.allows()) && statement.applies(request, action, bucket, key)) {
                if (!statement.allows()) {
                    return statement;
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
                    return statement;
                }
                allowing = statement;
            }
        }
        return allowing;
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
        Principal limit = principal.limit();
        if (limit != null) {
            allowed.retainAll(limits.possible(limit, bucket));
        }
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

    private static boolean isAllow(@Nullable PolicyStatement deciding) {
        return deciding != null && deciding.allows();
    }

    private static boolean isDeny(@Nullable PolicyStatement deciding) {
        return deciding != null && !deciding.allows();
    }
}
