package io.millrace.backend.azure;

import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import java.net.URI;
import java.util.List;
import java.util.function.Function;

/** A Blob service of a test. It responds as told, with the id of requests by which clients know the service itself. */
final class ScriptedBlobService implements AutoCloseable {
    private final RecordingServer server = new RecordingServer();

    /** An error, in its header and in XML. */
    static PlannedResponse error(int status, String code) {
        return PlannedResponse.text(
                        status,
                        "<?xml version=\"1.0\"?><Error><Code>%s</Code>".formatted(code)
                                + "<Message>Told by the test.\nRequestId:1</Message></Error>")
                .with("x-ms-error-code", code);
    }

    void respond(Function<RecordedRequest, PlannedResponse> response) {
        server.respond(
                request -> response.apply(request).with("x-ms-request-id", "00000000-0000-0000-0000-000000000001"));
    }

    /** Responds as something in front of the service. */
    void respondWithoutId(Function<RecordedRequest, PlannedResponse> response) {
        server.respond(response);
    }

    URI url() {
        return server.uri();
    }

    List<RecordedRequest> requests() {
        return server.requests();
    }

    @Override
    public void close() {
        server.close();
    }
}
