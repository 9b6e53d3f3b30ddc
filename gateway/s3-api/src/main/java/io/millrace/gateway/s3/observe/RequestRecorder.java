package io.millrace.gateway.s3.observe;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Optional;

/** Observes the start and end of every request. Called on event loops; must not block. */
public interface RequestRecorder {
    /** A request was received. */
    void started();

    /**
     * A request of this principal passed the gate and the limits. What ends of it is {@linkplain RequestRecord#admitted
     * admitted}.
     */
    default void admitted(Principal principal) {}

    /** A request ended, in any way. Called once for each {@link #started}. */
    void ended(RequestRecord request);

    /** Returns an error if an authorized request must not be served. */
    default Optional<S3Exception> refusal(Principal principal, S3Operation operation, boolean isRead) {
        return Optional.empty();
    }

    /** Returns a recorder that calls this one and then the other. */
    default RequestRecorder and(RequestRecorder other) {
        RequestRecorder first = this;
        return new RequestRecorder() {
            @Override
            public void started() {
                first.started();
                other.started();
            }

            @Override
            public void admitted(Principal principal) {
                first.admitted(principal);
                other.admitted(principal);
            }

            @Override
            public void ended(RequestRecord request) {
                first.ended(request);
                other.ended(request);
            }

            @Override
            public Optional<S3Exception> refusal(Principal principal, S3Operation operation, boolean isRead) {
                Optional<S3Exception> refused = first.refusal(principal, operation, isRead);
                return refused.isPresent() ? refused : other.refusal(principal, operation, isRead);
            }
        };
    }
}
