package io.millrace.cache.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.index.FingerprintHash;

/**
 * The hash by which gateways that share backends agree on which of them fetches an object. Every gateway computes the
 * same number, in every release, so its key is public; whoever chooses object keys can choose their owner. The index of
 * blocks has a hash with a secret key.
 */
public final class OwnershipHash {
    private static final FingerprintHash HASH = new FingerprintHash(0, 0);

    private OwnershipHash() {}

    /**
     * Returns the number of an object, of which each bit is as good as the others.
     *
     * @param backend the backend's name, which the settings of these gateways have in common
     * @param object as the backend names it
     */
    public static long of(String backend, ObjectRef object) {
        // No name of a backend or bucket has this character, so that no two objects have the same text.
        String text =
                backend + '\0' + object.bucket().value() + '\0' + object.key().value();
        return HASH.of(text.getBytes(UTF_8)).high();
    }
}
