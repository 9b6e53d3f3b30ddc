package io.millrace.gateway.agreement;

import org.jspecify.annotations.Nullable;

/** A call to the agreed store that failed. Unless it is an {@link UnknownOutcomeException}, nothing was changed. */
class AgreedStoreException extends Exception {
    AgreedStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
