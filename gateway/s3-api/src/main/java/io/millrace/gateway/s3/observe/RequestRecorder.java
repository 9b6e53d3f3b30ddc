package io.millrace.gateway.s3.observe;

/** Is told of every request. Called on event loops: it must not block. */
public interface RequestRecorder {
    /** A request has come. */
    void started();

    /** It has ended, one way or another. Once for each {@link #started}. */
    void ended(RequestRecord request);

    /** Both are told, one after the other. */
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
