package io.millrace.loadgen;

import io.millrace.loadgen.Measurement.CachePart;
import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.ErrorCodeParser;
import io.millrace.loadgen.client.FailureText;
import io.millrace.loadgen.client.ResponseListener;
import io.millrace.loadgen.client.S3Connection;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Base class of the load test's operations: runs once on a connection and then passes its measurement on. All methods
 * run on the connection's event loop.
 */
abstract class Operation implements ResponseListener {
    private static final int LONGEST_ERROR = 4 << 10;

    private final OperationType type;
    private final String key;

    /** Bytes of bodies sent or received so far. */
    long bytes;

    private long firstByteAt;
    private int status;
    private CachePart cache = CachePart.OTHER;
    private @Nullable StringBuilder error;
    private @Nullable Consumer<Measurement> observer;

    Operation(OperationType type, String key) {
        this.type = type;
        this.key = key;
    }

    /** Starts the operation; {@code ended} receives its measurement. */
    final void start(S3Connection connection, Consumer<Measurement> ended) {
        observer = ended;
        send(connection);
    }

    /** Sends the first request. */
    abstract void send(S3Connection connection);

    /** Handles the headers of a response with a status of 2xx. */
    void receiveHeaders(HttpResponse response) {}

    /** Handles some bytes of a response with a status of 2xx. */
    void receive(ByteBuf body) {}

    /** Handles the end of a response with a status of 2xx. */
    abstract void finish();

    @Override
    public final void onHeaders(HttpResponse response) {
        status = response.status().code();
        if (status / 100 == 2) {
            cache = CachePart.of(response.headers().get("cache-status", ""));
            receiveHeaders(response);
        } else {
            error = new StringBuilder();
        }
    }

    @Override
    public final void onBody(ByteBuf body) {
        if (firstByteAt == 0) {
            firstByteAt = System.nanoTime();
        }
        if (error == null) {
            receive(body);
        } else if (error.length() < LONGEST_ERROR) {
            error.append(body.toString(StandardCharsets.UTF_8));
        }
    }

    @Override
    public final void onEnd() {
        if (error == null) {
            finish();
        } else {
            String code = ErrorCodeParser.in(error.toString());
            end(Outcome.REFUSED, code.isEmpty() ? "status " + status : status + " " + code);
        }
    }

    @Override
    public final void onFailure(Throwable failure) {
        end(Outcome.LOST, FailureText.of(failure));
    }

    /** Ends the operation and passes its measurement on, once. */
    final void end(Outcome outcome, String failure) {
        Consumer<Measurement> receiver = observer;
        observer = null;
        if (receiver != null) {
            long now = System.nanoTime();
            receiver.accept(new Measurement(
                    type, key, outcome, bytes, firstByteAt == 0 ? now : firstByteAt, now, cache, failure));
        }
    }
}
