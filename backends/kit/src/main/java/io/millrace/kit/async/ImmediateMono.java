package io.millrace.kit.async;

import org.jspecify.annotations.Nullable;
import reactor.core.Fuseable;
import reactor.core.publisher.Mono;

/**
 * A Mono whose value is known before anybody subscribes, as that of {@link Mono#just}: it is used at once, on the
 * caller's thread and without a subscriber. Operators do not preserve that.
 */
public final class ImmediateMono {
    private ImmediateMono() {}

    /** Returns the value if it is known; null if only a subscriber gets it, if there is none, or if the Mono fails. */
    @SuppressWarnings("unchecked")
    public static <T> @Nullable T valueOf(Mono<T> mono) {
        if (!(mono instanceof Fuseable.ScalarCallable<?> known)) {
            return null;
        }
        try {
            return (T) known.call();
        } catch (Exception failed) {
            return null;
        }
    }

    /** Returns whether the value is known. */
    public static boolean isKnown(Mono<?> mono) {
        return valueOf(mono) != null;
    }
}
