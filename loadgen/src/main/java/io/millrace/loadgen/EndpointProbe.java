package io.millrace.loadgen;

import io.millrace.loadgen.client.BucketAddress;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.client.SmallResponse;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.Map;

/** Checks before a run that each endpoint can be reached, has the bucket and accepts the credentials. Blocks. */
record EndpointProbe(S3ConnectionFactory connections) {
    /**
     * Sends one listing to each endpoint. An identity that may read but not list passes.
     *
     * @throws IOException if an endpoint cannot be used; the message says why
     */
    void check(String prefix) throws IOException, InterruptedException {
        for (BucketAddress endpoint : connections.endpoints()) {
            check(endpoint, connections.create(), prefix);
        }
    }

    private static void check(BucketAddress endpoint, S3Connection connection, String prefix)
            throws IOException, InterruptedException {
        SmallResponse response;
        try {
            response = SmallResponse.of(
                    connection,
                    OutgoingRequest.of(HttpMethod.GET, "", TestObjectLister.pageQuery(prefix, ""), Map.of()));
        } catch (IOException e) {
            throw new IOException("cannot reach %s: %s".formatted(endpoint, e.getMessage()), e);
        } finally {
            connection.schedule(connection::close, 0);
        }
        String status = response.statusText();
        if (status.endsWith("NoSuchBucket")) {
            throw new IOException("there is no bucket at %s (%s)".formatted(endpoint, status));
        }
        if (!response.isSuccess() && !status.endsWith("AccessDenied")) {
            throw new IOException("%s refused a listing: %s%s".formatted(endpoint, status, hint(status)));
        }
    }

    private static String hint(String status) {
        boolean isRegion = status.endsWith("AuthorizationHeaderMalformed")
                || status.endsWith("Redirect")
                || status.startsWith("30");
        return isRegion ? " (has the bucket another --region or endpoint?)" : "";
    }
}
