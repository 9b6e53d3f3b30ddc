package io.millrace.auth.signature;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.auth.CredentialScope;
import io.millrace.auth.SigningKey;
import org.jspecify.annotations.Nullable;

/**
 * Caches derived signing keys, because deriving a key takes four times as long as signing. Signatures are computed for
 * every request and never cached. Thread-safe.
 */
final class SigningKeyCache {
    private final Cache<Entry, SigningKey> keys;

    /**
     * @param maximum limit of cached keys. It is small, because any client can create an entry by naming a region;
     *     frequently used keys stay cached.
     */
    SigningKeyCache(int maximum) {
        keys = Caffeine.newBuilder()
                .maximumSize(maximum)
                .executor(Runnable::run)
                .build();
    }

    /** Returns the key of {@code scope} for {@code secret}; {@code owner} identifies the secret in the cache. */
    SigningKey get(String owner, String secret, CredentialScope scope) {
        return keys.get(new Entry(owner, scope), entry -> SigningKey.derive(secret, entry.scope()));
    }

    private record Entry(String owner, CredentialScope scope) {
        // Written by hand, here and below, because a record's generated methods are slow and every request looks up a
        // key.
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
