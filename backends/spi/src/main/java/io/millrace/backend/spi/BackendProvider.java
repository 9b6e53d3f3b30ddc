package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketName;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Creates the backends of one type. It is the only class of a backend module that the gateway uses.
 *
 * @param <S> the record that holds this backend type's settings
 */
public interface BackendProvider<S extends Record> {
    /** Returns the value of {@code type:} in the settings. */
    String type();

    /** Returns the record that the other settings are bound to. */
    Class<S> settingsType();

    /**
     * Checks that {@link #create} can create a backend with these settings on this machine. Changes nothing and sends
     * no request.
     *
     * @throws IllegalArgumentException if it cannot; the message says what to do
     */
    default void requireUsable(S settings) {}

    /**
     * Returns the names that buckets of these backends have, as a sentence without a full stop, if no bucket there can
     * have this one; empty if one may, or only the server knows.
     */
    default Optional<String> ruleAgainst(BucketName bucket) {
        return Optional.empty();
    }

    /** Returns whether its backends are remote servers. Creating a local backend may change files. */
    default boolean isRemote() {
        return true;
    }

    /** Returns whether requests with these settings carry credentials, which a server may reject. */
    default boolean hasCredentials(S settings) {
        return true;
    }

    /** Returns the URL of the server that these settings name; empty if there is none, or only a proxy reaches it. */
    default Optional<URI> endpoint(S settings) {
        return Optional.empty();
    }

    /** Returns the most connections that a backend with these settings has to its server; empty if it has none. */
    default OptionalInt maxConnections(S settings) {
        return OptionalInt.empty();
    }

    /**
     * Creates a backend. Sends no request yet: a backend that is down must not keep the gateway from starting.
     *
     * @param name the backend's name in the settings
     * @throws IllegalArgumentException if the settings cannot work; the message says what to do
     */
    Backend create(String name, S settings);
}
