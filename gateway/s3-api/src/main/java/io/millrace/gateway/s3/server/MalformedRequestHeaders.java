package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3Exception;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;

/**
 * The header fields of a request that is no HTTP: none but the end of the connection, and why it is refused. Reactor Netty
 * hands a request's fields on as they are, so the reason comes to the exchange in its turn, behind pipelined requests.
 */
final class MalformedRequestHeaders extends DefaultHttpHeaders {
    private final S3Exception reason;

    MalformedRequestHeaders(S3Exception reason) {
        this.reason = reason;
        set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }

    /** What the client is told. */
    S3Exception reason() {
        return reason;
    }
}
