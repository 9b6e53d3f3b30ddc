package io.millrace.gateway.cli;

/** Fixtures: jobs as JSON responses of the server. */
public final class JobFixtures {
    private JobFixtures() {}

    /**
     * Returns a job in a state.
     *
     * One of a hundred objects of a mebibyte each, {@code done} of them done.
     */
    static String json(String state, int done) {
        return json(state, done, 0);
    }

    static String json(String state, int done, int failed) {
        return """
                {"id":"j1","kind":"prefetch","owner":"alice","state":"%s","message":"",\
                "request":{"kind":"prefetch","from":{"bucket":"data","prefix":"train/"}},\
                "progress":{"found":100,"foundBytes":104857600,"counted":true,"done":%d,"doneBytes":%d,"skipped":0,\
                "skippedBytes":0,"failed":%d,"movedBytes":%d},"percent":%d,\
                "submitted":"2026-11-21T17:00:00.123Z","started":"2026-11-21T17:00:01.123Z","activeMillis":65000}""".formatted(state, done, (long) done << 20, failed, (long) done << 20, done);
    }

    static JobSnapshot of(String state, int done) {
        return new JobSnapshot(JsonCodec.readObject(json(state, done)));
    }

    public static JobSnapshot of(String state, String progress) {
        return of(state, progress, "");
    }

    /**
     * Returns a job in a state.
     *
     * @param speed further fields, each with a comma before it
     */
    public static JobSnapshot of(String state, String progress, String speed) {
        return new JobSnapshot(JsonCodec.readObject(
                "{\"id\":\"j1\",\"kind\":\"copy\",\"state\":\"%s\",\"progress\":{%s},\"activeMillis\":1500%s}"
                        .formatted(state, progress, speed)));
    }

    /** The same as one object of a gibibyte under way. */
    public static JobSnapshot underWay() {
        return of(
                "running",
                "\"found\":1,\"foundBytes\":1073741824,\"counted\":true,\"underWayBytes\":268435456",
                ",\"percent\":25.0,\"objectsPerSecond\":0.0,\"bytesPerSecond\":12582912.0,\"secondsLeft\":63");
    }
}
