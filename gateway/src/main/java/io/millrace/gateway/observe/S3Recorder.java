package io.millrace.gateway.observe;

/** Is told of every request. Called on event loops: it must not block. */
public interface S3Recorder {
    /** A request has come. */
    void started();

    /** It has ended, one way or another. Once for each {@link #started}. */
    void ended(RequestRecord request);

    /** Both are told, one after the other. */
    default S3Recorder and(S3Recorder other) {
        S3Recorder first = this;
        return new S3Recorder() {
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
