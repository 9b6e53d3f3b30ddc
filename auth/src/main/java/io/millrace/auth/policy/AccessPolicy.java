package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Decides whether a principal has a right, such as READ, on a bucket or object: the principal's own rules or the
 * bucket's anonymous rights must grant it. Anything else is denied. Every request is checked, before the cache is used.
 * A decision depends only on the arguments, so it reveals nothing about existing objects. Thread-safe if
 * {@code anonymousRights} is.
 */
public final class AccessPolicy {
    private final Function<BucketName, Set<Right>> anonymousRights;

    /**
     * @param anonymousRights returns the rights everybody has in a bucket; called for every request, so it must not
     *     block
     */
    public AccessPolicy(Function<BucketName, Set<Right>> anonymousRights) {
        this.anonymousRights = anonymousRights;
    }

    /**
     * Returns whether {@code principal} has {@code right} on the key.
     *
     * @param key empty for the bucket itself, which needs the right on all of its keys
     */
    public boolean allows(Principal principal, Right right, BucketName bucket, Optional<ObjectKey> key) {
        return allowsAsNamed(principal, right, bucket, key)
                && key.map(named -> allowsFolded(principal, right, bucket, named))
                        .orElse(true);
    }

    /**
     * Not every backend distinguishes {@code a/../b} from {@code b}, or {@code /b} and {@code a//b} from {@code b} and
     * {@code a/b}. Both the key as named and its normalized form must be allowed.
     */
    private boolean allowsFolded(Principal principal, Right right, BucketName bucket, ObjectKey key) {
        if (KeyPathNormalizer.normalize(key.value()).isEmpty()) {
            return allowsAsNamed(principal, right, bucket, Optional.empty());
        }
        Optional<ObjectKey> other = KeyPathNormalizer.alias(key);
        return other.isEmpty() || allowsAsNamed(principal, right, bucket, other);
    }

    private boolean allowsAsNamed(Principal principal, Right right, BucketName bucket, Optional<ObjectKey> key) {
        for (AllowRule rule : principal.rules()) {
            if (rule.matches(right, bucket, key)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /**
     * Returns whether {@code principal} may list the keys that begin with {@code prefix}. A single rule must cover the whole
     * listing, whatever keys exist. A rule for {@code b/train/*} allows the prefixes {@code train/} and
     * {@code train/x}, not {@code train} (which would also show {@code training/}) and not the empty one.
     *
     * @param prefix as requested; empty lists the bucket
     */
    public boolean allowsListing(Principal principal, BucketName bucket, String prefix) {
        return allowsBelow(principal, Right.LIST, bucket, prefix);
    }

    /** Returns whether {@code principal} has {@code right} on every key that begins with {@code prefix}, existing or not. */
    public boolean allowsBelow(Principal principal, Right right, BucketName bucket, String prefix) {
        return allowsBelowAsNamed(principal, right, bucket, prefix)
                && allowsBelowAsNamed(principal, right, bucket, KeyPathNormalizer.normalize(prefix));
    }

    private boolean allowsBelowAsNamed(Principal principal, Right right, BucketName bucket, String prefix) {
        for (AllowRule rule : principal.rules()) {
            if (rule.covers(right, bucket, prefix)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /** Returns whether {@code principal} has {@code right} on at least one possible key of the bucket, existing or not. */
    public boolean allowsSomewhere(Principal principal, Right right, BucketName bucket) {
        for (AllowRule rule : principal.rules()) {
            if (rule.touches(right, bucket)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /**
     * Returns whether {@code principal} has {@code right} in every bucket, existing or not. With {@link Right#ADMIN} that
     * makes an operator.
     */
    public boolean allowsEverywhere(Principal principal, Right right) {
        for (AllowRule rule : principal.rules()) {
            if (rule.coversEverything(right)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether {@code principal} has any right in the bucket and may therefore know that it exists. */
    public boolean seesBucket(Principal principal, BucketName bucket) {
        for (AllowRule rule : principal.rules()) {
            if (rule.touches(bucket)) {
                return true;
            }
        }
        return !anonymousRights.apply(bucket).isEmpty();
    }
}
