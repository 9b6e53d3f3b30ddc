package io.millrace.backend.gcs;

import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import java.net.URI;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A server on loopback that keeps objects in memory and behaves as the documentation of Google Cloud Storage says,
 * where the emulator does not: preconditions of every operation, composite objects without an MD5, defaults of
 * Cache-Control, decompression of gzip, error documents, pages. It records requests, and a test may replace its
 * responses.
 */
final class DocumentedGcsServer implements AutoCloseable {
    private final DocumentedStorage storage = new DocumentedStorage();
    private volatile BiFunction<RecordedRequest, PlannedResponse, PlannedResponse> change =
            (call, response) -> response;
    private volatile Consumer<RecordedRequest> beforehand = call -> {};
    private final RecordingServer server = new RecordingServer(this::respond);

    URI uri() {
        return server.uri();
    }

    DocumentedStorage storage() {
        return storage;
    }

    List<RecordedRequest> calls() {
        return server.requests();
    }

    void clearCalls() {
        server.forgetRequests();
    }

    /** Replaces responses: given the request and the response that it would get. */
    void change(BiFunction<RecordedRequest, PlannedResponse, PlannedResponse> by) {
        change = by;
    }

    /** Runs something when a request has arrived, before it takes effect. */
    void beforehand(Consumer<RecordedRequest> action) {
        beforehand = action;
    }

    @Override
    public void close() {
        server.close();
    }

    private PlannedResponse respond(RecordedRequest call) {
        beforehand.accept(call);
        return change.apply(call, storage.respond(call));
    }
}
