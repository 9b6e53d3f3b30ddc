package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;

/** A fetch whose bytes turned out, before its last ones, not to be the object's: none of them may stay cached. */
public final class WrongContentException extends BackendException {
    private static final long serialVersionUID = 1L;

    public WrongContentException(BackendException failure) {
        super(failure);
    }
}
