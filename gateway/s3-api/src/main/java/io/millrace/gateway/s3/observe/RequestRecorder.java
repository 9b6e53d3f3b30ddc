package io.millrace.gateway.s3.observe;

/** Observes the start and end of every request. Called on event loops; must not block. */
public interface RequestRecorder {
    /** A request was received. */
    void started();

    /** A request ended, in any way. Called once for each {@link #started}. */
    void ended(RequestRecord request);

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
            public void ended(RequestRecord request) {
                first.ended(request);
                other.ended(request);
            }
        };
    }
}
