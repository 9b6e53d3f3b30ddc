package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.BucketPolicy;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import java.util.Optional;

/** The bucket entries of the settings in order; the first whose pattern matches a bucket name applies. */
final class BucketSettingsMatcher {
    private final List<BucketSettings> all;

    /** The policies of the entries, in the same order. */
    private final List<BucketPolicy> policies;

    BucketSettingsMatcher(List<BucketSettings> all) {
        this.all = List.copyOf(all);
        this.policies = all.stream()
                .map(entry -> BucketPolicy.granting(entry.anonymous().rights())
                        .and(entry.policy().orElse(BucketPolicy.NONE)))
                .toList();
    }

    List<BucketSettings> all() {
        return all;
    }

    /** Returns the policy of a bucket; none if no entry matches. */
    BucketPolicy policyOf(BucketName name) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).name().matches(name)) {
                return policies.get(i);
            }
        }
        return BucketPolicy.NONE;
    }

    /** Returns the entry that applies to a name; empty if none matches. */
    Optional<BucketSettings> of(BucketName name) {
        for (BucketSettings entry : all) {
            if (entry.name().matches(name)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    /** Returns whether a pattern serves this name from a backend. */
    boolean isOfPattern(BucketName name, String backend) {
        return of(name).filter(
                        entry -> entry.name().isPattern() && entry.backend().equals(backend))
                .isPresent();
    }

    /**
     * Returns the name under which clients see a bucket of an entry's backend through this entry; empty if they do not,
     * because it is for another bucket or an earlier entry has taken the name.
     */
    Optional<BucketName> nameOf(BucketSettings entry, BucketName real) {
        BucketName name = entry.name().isPattern() ? real : entry.ownName();
        return entry.backendBucket(name).equals(real)
                        && of(name).filter(entry::equals).isPresent()
                ? Optional.of(name)
                : Optional.empty();
    }
}
