package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;

/** Thrown if reading an object from a backend fails; carries the cache status for the response to the client. */
public final class BackendReadException extends BackendException {
    private static final long serialVersionUID = 1L;

    private final transient CacheStatus status;

    BackendReadException(BackendException failure, CacheStatus status) {
        super(failure);
        this.status = status;
    }

    public CacheStatus status() {
        return status;
    }
}
