package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;

/**
 * A fetch that failed before its response began, after whatever tries the backend's retries allow: to send it again at
 * once would only add to them.
 */
public final class UnopenedFetchException extends BackendException {
    private static final long serialVersionUID = 1L;

    public UnopenedFetchException(BackendException failure) {
        super(failure);
    }
}
