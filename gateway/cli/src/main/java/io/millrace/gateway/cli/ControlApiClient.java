package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.RequestSigner;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A blocking client of the control API that signs its requests.
 *
 * @param endpoint without a slash at its end
 * @param tls makes the sockets for https; empty for Java's own
 */
record ControlApiClient(URI endpoint, SigningCredentials credentials, Optional<SSLSocketFactory> tls) {
    private static final int CONNECTING_MILLIS = (int) Duration.ofSeconds(10).toMillis();
    private static final int ANSWERING_MILLIS = (int) Duration.ofSeconds(60).toMillis();

    private static final int MOST_BYTES = 64 << 20;

    static {
        // The JDK must not repeat a POST whose response was lost: that would submit a job twice.
        System.setProperty("sun.net.http.retryPost", "false");
    }

    /**
     * Sends a GET request and returns the response.
     *
     * @param path below {@code /api/v1}
     * @throws CliException if the request fails, with the exit code for the shell
     */
    JsonObject get(String path, Map<String, String> query) {
        return call("GET", path + query(query), null, query);
    }

    JsonObject post(String path, @Nullable Object body) {
        return call("POST", path, body, body instanceof Map<?, ?> fields ? fields : Map.of());
    }

    void delete(String path) {
        call("DELETE", path, null, Map.of());
    }

    JobSnapshot job(String id) {
        return new JobSnapshot(get("/jobs/" + pathSegment(id), Map.of()));
    }

    /** Returns a job with few of its keys or URLs, for polling. */
    JobSnapshot jobProgress(String id) {
        return new JobSnapshot(get("/jobs/" + pathSegment(id), Map.of("brief", "true")));
    }

    /** Encodes a name as one segment of a path. */
    static String pathSegment(String name) {
        return URLEncoder.encode(name, UTF_8).replace("+", "%20");
    }

    private JsonObject call(String method, String path, @Nullable Object body, Map<?, ?> request) {
        byte[] bytes = body == null ? new byte[0] : JsonCodec.write(body).getBytes(UTF_8);
        try {
            return readResponse(open(method, path, bytes), request);
        } catch (ConnectException | UnknownHostException e) {
            throw CliException.unreachable("cannot reach Millrace at %s (%s). Check that it runs, or name"
                            .formatted(endpoint, ConnectionFailureText.of(e))
                    + " its control port with --endpoint-url or MILLRACE_ENDPOINT_URL.");
        } catch (SSLException e) {
            throw CliException.unreachable(
                    "TLS with %s failed: %s".formatted(endpoint, ConnectionFailureText.ofTls(e)));
        } catch (IOException e) {
            throw CliException.unreachable("the connection to %s failed before the response was complete (%s).%s%s"
                    .formatted(endpoint, ConnectionFailureText.of(e), tlsHint(e), retryHint(method)));
        }
    }

    private HttpURLConnection open(String method, String path, byte[] body) throws IOException {
        URI uri = URI.create(endpoint + "/api/v1" + path);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        if (connection instanceof HttpsURLConnection https) {
            tls.ifPresent(https::setSSLSocketFactory);
        }
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(CONNECTING_MILLIS);
        connection.setReadTimeout(ANSWERING_MILLIS);
        connection.setRequestProperty("Accept", "application/json");
        connection.setRequestProperty("User-Agent", "millrace");
        new RequestSigner(credentials.accessKey(), credentials.secretKey(), "us-east-1")
                .sign(uri, method, Map.of(), new PayloadType.Sha256(Sha256.hex(body)), Instant.now())
                .forEach(connection::setRequestProperty);
        if (body.length > 0) {
            connection.setRequestProperty("Content-Type", "application/json");
            connection.setDoOutput(true);
            connection.getOutputStream().write(body);
        }
        return connection;
    }

    private JsonObject readResponse(HttpURLConnection connection, Map<?, ?> request) throws IOException {
        int status = connection.getResponseCode();
        String type = String.valueOf(connection.getContentType()).toLowerCase(Locale.ROOT);
        String text = body(
                status < 400
                        ? Optional.of(connection.getInputStream())
                        : Optional.ofNullable(connection.getErrorStream()));
        if (status == HttpURLConnection.HTTP_NO_CONTENT) {
            return JsonObject.EMPTY;
        }
        if (status >= 300 || !type.contains("json")) {
            throw type.contains("json")
                    ? ApiErrorTranslator.of(status, object(text), credentials, request)
                    : notControlPort(status);
        }
        return object(text);
    }

    private JsonObject object(String text) {
        try {
            return JsonCodec.readObject(text);
        } catch (IllegalArgumentException e) {
            throw CliException.unreachable("%s sent an unreadable response: %s".formatted(endpoint, e.getMessage()));
        }
    }

    private CliException notControlPort(int status) {
        return CliException.unreachable(
                ("%s is not Millrace's control port (status %d). Set --endpoint-url to the control port"
                                + " (9081 by default), not to the S3 port.")
                        .formatted(endpoint, status));
    }

    private static String body(Optional<InputStream> stream) throws IOException {
        if (stream.isEmpty()) {
            return "";
        }
        try (InputStream in = stream.get()) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("the response is too long");
            }
            return new String(bytes, UTF_8);
        }
    }

    /**
     * A port with TLS closes a plain connection without a response, and one that wants a certificate often before its
     * alert is read.
     */
    private String tlsHint(IOException e) {
        if ("http".equals(endpoint.getScheme())) {
            return e instanceof SocketException ? " If it serves TLS, write https://." : "";
        }
        return e instanceof SocketTimeoutException
                ? ""
                : " If it wants a client certificate, set --client-cert and --client-key.";
    }

    private static String retryHint(String method) {
        return method.equals("GET")
                ? ""
                : " The server may have acted on it: check ('millrace jobs list' for jobs) before you repeat it.";
    }

    private static String query(Map<String, String> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.entrySet().stream()
                        .map(parameter -> parameter.getKey() + '=' + pathSegment(parameter.getValue()))
                        .collect(Collectors.joining("&", "?", ""));
    }
}
