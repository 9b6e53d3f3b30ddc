package io.millrace.backend.web;

import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A web server of the tests, for the behaviour of caches in networks and of servers that are wrong. */
final class ScriptedWebServer implements AutoCloseable {
    private final Map<String, Function<RecordedRequest, PlannedResponse>> pages = new ConcurrentHashMap<>();
    private final RecordingServer server =
            new RecordingServer(request -> pages.getOrDefault(request.target(), other -> PlannedResponse.of(404))
                    .apply(request));

    static PlannedResponse text(String type, String text) {
        return PlannedResponse.text(200, text).with("Content-Type", type);
    }

    /** Sets the responses to requests for a target, which is compared as it is sent. */
    void page(String target, Function<RecordedRequest, PlannedResponse> responder) {
        pages.put(target, responder);
    }

    void page(String target, PlannedResponse response) {
        page(target, request -> response);
    }

    List<RecordedRequest> received() {
        return server.requests();
    }

    String url() {
        return server.uri() + "/";
    }

    @Override
    public void close() {
        server.close();
    }
}
