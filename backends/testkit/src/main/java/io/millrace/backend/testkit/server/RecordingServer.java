package io.millrace.backend.testkit.server;

import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A server on loopback that records each request with its body, and sends the response that it is told to. */
public final class RecordingServer implements AutoCloseable {
    private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();
    private final ScriptedServer server;
    private volatile Function<RecordedRequest, PlannedResponse> responder;

    /** Starts a server that responds with 500 until it is told better. */
    public RecordingServer() {
        this(request -> PlannedResponse.of(500));
    }

    /** @param responder called on a thread of the request's connection, which it may block */
    public RecordingServer(Function<RecordedRequest, PlannedResponse> responder) {
        this.responder = responder;
        try {
            server = ScriptedServer.start(this::serve);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the responses from now on. */
    public void respond(Function<RecordedRequest, PlannedResponse> changed) {
        responder = changed;
    }

    public URI uri() {
        return server.uri();
    }

    /** Returns the requests that came, in order. */
    public List<RecordedRequest> requests() {
        return List.copyOf(requests);
    }

    /** Forgets the requests that came. */
    public void forgetRequests() {
        requests.clear();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(ReceivedRequest head, ServerConnection connection) throws IOException {
        RecordedRequest request = connection.whole(head);
        requests.add(request);
        connection.send(request, responder.apply(request));
    }
}
