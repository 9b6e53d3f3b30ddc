package io.millrace.gateway.agreement;

import org.jspecify.annotations.Nullable;

/** A transaction of which nobody has said whether it was made: it may have been, or may yet be. */
final class UnknownOutcomeException extends AgreedStoreException {
    UnknownOutcomeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
