package io.millrace.loadgen.client;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A whole response with its body in memory.
 *
 * @param text the body, decoded as UTF-8
 */
public record SmallResponse(int status, String text) {
    /** Returns whether the status is 2xx. */
    public boolean isSuccess() {
        return status / 100 == 2;
    }

    /** Returns the status and, for an error, its S3 code: {@code 404 NoSuchBucket}. */
    public String statusText() {
        String code = ErrorCodeParser.in(text);
        return code.isEmpty() ? "status " + status : status + " " + code;
    }

    /**
     * Sends a request and waits for its response. Not for event loops.
     *
     * @throws IOException if there is no complete response; the message says why
     */
    public static SmallResponse of(S3Connection connection, OutgoingRequest request)
            throws IOException, InterruptedException {
        CompletableFuture<SmallResponse> response = new CompletableFuture<>();
        connection.schedule(() -> connection.send(request, new ResponseCollector(response)), 0);
        try {
            return response.get();
        } catch (ExecutionException e) {
            Throwable failure = Objects.requireNonNullElse(e.getCause(), e);
            throw new IOException(FailureText.of(failure), failure);
        }
    }
}
