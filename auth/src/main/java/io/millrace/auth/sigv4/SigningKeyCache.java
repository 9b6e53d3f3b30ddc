package io.millrace.auth.sigv4;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Remembers derived keys, because deriving costs four times what signing does. Only keys: a signature is computed for
 * every request. Thread-safe.
 */
public final class SigningKeyCache {
    private final Cache<Entry, SigningKey> keys;

    /**
     * @param maximum keys remembered at most. Anybody can make one by naming a region, so it is small; those asked for
     *     often stay.
     */
    public SigningKeyCache(int maximum) {
        keys = Caffeine.newBuilder()
                .maximumSize(maximum)
                .executor(Runnable::run)
                .build();
    }

    /** The key of {@code scope} for {@code secret}, whose owner {@code owner} stands for it in the cache. */
    public SigningKey get(String owner, String secret, CredentialScope scope) {
        return keys.get(new Entry(owner, scope), entry -> SigningKey.derive(secret, entry.scope()));
    }

    private record Entry(String owner, CredentialScope scope) {
        // Written out, here and below, because what a record is given is slow, and this is looked up for every request.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Entry that
                    && owner.equals(that.owner)
                    && scope.date().equals(that.scope.date())
                    && scope.region().equals(that.scope.region())
                    && scope.service().equals(that.scope.service());
        }

        @Override
        public int hashCode() {
            return 31 * (31 * owner.hashCode() + scope.date().hashCode())
                    + scope.region().hashCode();
        }
    }
}
