package io.millrace.gateway.s3.server;

import io.millrace.gateway.error.S3Exception;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;

/**
 * The headers of a request that is not valid HTTP: Connection: close, and the error. Reactor Netty passes the headers
 * on as they are, so the error reaches the exchange after earlier pipelined requests.
 */
final class MalformedRequestHeaders extends DefaultHttpHeaders {
    private final S3Exception reason;

    MalformedRequestHeaders(S3Exception reason) {
        this.reason = reason;
        set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }

    /** Returns the error for the client. */
    S3Exception reason() {
        return reason;
    }
}
