package io.millrace.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Collects a response with a body of at most 16 MiB and completes a future with it. */
final class ResponseCollector implements ResponseListener {
    private static final int LIMIT = 16 << 20;

    private final CompletableFuture<SmallResponse> result;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int status;

    ResponseCollector(CompletableFuture<SmallResponse> result) {
        this.result = result;
    }

    @Override
    public void onHeaders(HttpResponse response) {
        status = response.status().code();
    }

    @Override
    public void onBody(ByteBuf bytes) {
        try {
            if (body.size() + bytes.readableBytes() <= LIMIT) {
                bytes.getBytes(bytes.readerIndex(), body, bytes.readableBytes());
            } else {
                result.completeExceptionally(new IOException("a response of more than 16 MiB"));
            }
        } catch (IOException e) {
            throw new AssertionError(e); // a stream in memory does not fail
        }
    }

    @Override
    public void onEnd() {
        result.complete(new SmallResponse(status, body.toString(StandardCharsets.UTF_8)));
    }

    @Override
    public void onFailure(Throwable failure) {
        result.completeExceptionally(failure);
    }
}
