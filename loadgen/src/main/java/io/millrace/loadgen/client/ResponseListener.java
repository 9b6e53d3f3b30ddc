package io.millrace.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;

/**
 * Receives the response to one request, on the event loop of its connection: {@link #onHeaders} once, {@link #onBody}
 * any number of times, and then {@link #onEnd}; or {@link #onFailure} at any time as the last call.
 */
public interface ResponseListener {
    /** Receives the status and the headers. */
    void onHeaders(HttpResponse response);

    /** Receives some bytes of the body; the caller releases them. */
    void onBody(ByteBuf bytes);

    /** Receives the end of a complete response. */
    void onEnd();

    /** Receives a failure: the connection was refused, lost or stalled, or the response was not HTTP. */
    void onFailure(Throwable failure);
}
