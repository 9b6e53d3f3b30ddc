package io.millrace.backend.spi;

/**
 * Makes the backends of one type. The gateway knows a backend module by this one class.
 *
 * @param <S> the record its part of the operator's file is bound to
 */
public interface BackendProvider<S extends Record> {
    /** What {@code type:} says in the operator's file. */
    String type();

    /** The settings beside {@code type}. */
    Class<S> settings();

    /**
     * Requires that {@link #create} could make a backend with these settings on this machine; changes nothing, and speaks to nobody.
     *
     * @throws IllegalArgumentException if it could not, with what to do about it
     */
    default void requireUsable(S settings) {}

    /** Whether its backends are servers. Making one of others may change what is there. */
    default boolean isRemote() {
        return true;
    }

    /**
     * Makes one. Does not speak to it yet: a backend that is down must not keep the gateway from starting.
     *
     * @param name the operator's name for it
     * @throws IllegalArgumentException if the settings cannot work, with what to do about it
     */
    Backend create(String name, S settings);
}
