package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;

/** Writes the headers of an S3 response to Netty's headers. */
final class ResponseHeaderWriter {
    private ResponseHeaderWriter() {}

    /**
     * Writes all headers but {@code Transfer-Encoding}.
     *
     * @throws IllegalArgumentException if a header cannot be sent
     */
    static void write(S3Response response, String requestId, boolean keepAlive, HttpHeaders headers) {
        headers.set("x-amz-request-id", requestId);
        headers.set(HttpHeaderNames.SERVER, "Millrace");
        headers.set(HttpHeaderNames.DATE, DateHeaderCache.now());
        for (HeaderField field : response.headers().fields()) {
            headers.add(field.name(), field.value());
        }
        response.cacheStatus().ifPresent(status -> writeCacheStatus(headers, status));
        if (response.body().length() >= 0 && response.status() != 304) {
            headers.set(
                    HttpHeaderNames.CONTENT_LENGTH,
                    Long.toString(response.body().length()));
        }
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    private static void writeCacheStatus(HttpHeaders headers, CacheStatus status) {
        headers.add(CacheStatus.HEADER, status.toHeader());
        status.shownAge().ifPresent(age -> headers.set(HttpHeaderNames.AGE, Long.toString(age)));
    }
}
