package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Says who may do what: what the principal's own rules allow, and what anybody may do in the bucket. Anything else is
 * denied. Asked on every request, before the cache is; looks at nothing but its arguments, so the answer tells nothing of
 * what exists. Thread-safe if {@code anonymousRights} is.
 */
public final class AccessPolicy {
    private final Function<BucketName, Set<Right>> anonymousRights;

    /**
     * @param anonymousRights what anybody may do in a bucket of this name, empty for most; asked often, so it looks in
     *     memory
     */
    public AccessPolicy(Function<BucketName, Set<Right>> anonymousRights) {
        this.anonymousRights = anonymousRights;
    }

    /**
     * Whether {@code who} may do this to the key.
     *
     * @param key empty where it is the bucket itself that is asked for; a right on some of its keys is not enough then
     */
    public boolean allows(Principal who, Right right, BucketName bucket, Optional<ObjectKey> key) {
        return allowsAsNamed(who, right, bucket, key)
                && key.map(named -> allowsFolded(who, right, bucket, named)).orElse(true);
    }

    /**
     * Not every backend tells {@code a/../b} from {@code b}, or {@code /b} and {@code a//b} from {@code b} and {@code a/b}: a key is
     * what is allowed in either reading.
     */
    private boolean allowsFolded(Principal who, Right right, BucketName bucket, ObjectKey key) {
        if (KeyPathNormalizer.normalize(key.value()).isEmpty()) {
            return allowsAsNamed(who, right, bucket, Optional.empty());
        }
        Optional<ObjectKey> other = KeyPathNormalizer.alias(key);
        return other.isEmpty() || allowsAsNamed(who, right, bucket, other);
    }

    private boolean allowsAsNamed(Principal who, Right right, BucketName bucket, Optional<ObjectKey> key) {
        for (AllowRule rule : who.rules()) {
            if (rule.matches(right, bucket, key)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /**
     * Whether {@code who} may list the keys that begin with {@code prefix}: a single rule must hold the whole answer,
     * whichever keys there are. A rule for {@code b/train/*} allows the prefixes {@code train/} and {@code train/x}, not
     * {@code train} (which would also show {@code training/}) and not the empty one.
     *
     * @param prefix as asked for; empty lists the bucket
     */
    public boolean allowsListing(Principal who, BucketName bucket, String prefix) {
        return allowsBelow(who, Right.LIST, bucket, prefix);
    }

    /** The same of any right, on every key that begins with {@code prefix}, existing or not. */
    public boolean allowsBelow(Principal who, Right right, BucketName bucket, String prefix) {
        return allowsBelowAsNamed(who, right, bucket, prefix)
                && allowsBelowAsNamed(who, right, bucket, KeyPathNormalizer.normalize(prefix));
    }

    private boolean allowsBelowAsNamed(Principal who, Right right, BucketName bucket, String prefix) {
        for (AllowRule rule : who.rules()) {
            if (rule.covers(right, bucket, prefix)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /** Whether {@code who} may do this to any key of the bucket, existing or not. */
    public boolean allowsSomewhere(Principal who, Right right, BucketName bucket) {
        for (AllowRule rule : who.rules()) {
            if (rule.touches(right, bucket)) {
                return true;
            }
        }
        return anonymousRights.apply(bucket).contains(right);
    }

    /** Whether {@code who} may do this in every bucket, existing or not: who may with {@link Right#ADMIN} is an operator. */
    public boolean allowsEverywhere(Principal who, Right right) {
        for (AllowRule rule : who.rules()) {
            if (rule.coversEverything(right)) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code who} may do anything at all in the bucket, and so may know that it is there. */
    public boolean seesBucket(Principal who, BucketName bucket) {
        for (AllowRule rule : who.rules()) {
            if (rule.touches(bucket)) {
                return true;
            }
        }
        return !anonymousRights.apply(bucket).isEmpty();
    }
}
