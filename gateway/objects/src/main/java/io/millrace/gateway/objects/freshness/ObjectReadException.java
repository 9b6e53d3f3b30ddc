package io.millrace.gateway.objects.freshness;

import io.millrace.backend.spi.BackendException;

/** A failed read of a backend, with the cache status that its response reports. */
public final class ObjectReadException extends BackendException {
    private static final long serialVersionUID = 1L;

    private final transient CacheStatus status;

    ObjectReadException(BackendException failure, CacheStatus status) {
        super(failure);
        this.status = status;
    }

    public CacheStatus status() {
        return status;
    }
}
