package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.auth.PayloadForm;
import io.millrace.auth.RequestSigner;
import io.millrace.auth.sigv4.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
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
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sends signed requests to the control port and waits for their answers. */
final class Api {
    private static final int CONNECTING_MILLIS = (int) Duration.ofSeconds(10).toMillis();
    private static final int ANSWERING_MILLIS = (int) Duration.ofSeconds(60).toMillis();

    /** The server gives a sign of life every 15 s. */
    private static final int SILENCE_MILLIS = (int) Duration.ofSeconds(45).toMillis();

    private static final int MOST_BYTES = 64 << 20;

    static {
        // A job that was submitted, and whose answer was lost, must not be submitted again behind our back.
        System.setProperty("sun.net.http.retryPost", "false");
    }

    private final URI endpoint;
    private final Credentials credentials;

    /**
     * @param endpoint without a slash at its end
     */
    Api(URI endpoint, Credentials credentials) {
        this.endpoint = endpoint;
        this.credentials = credentials;
    }

    /**
     * @param path below {@code /api/v1}
     * @throws CliException if it is not answered as it should be
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
        return new JobSnapshot(get("/jobs/" + segment(id), Map.of()));
    }

    /** What happens to a job from now on. The caller closes it. */
    EventStream events(String id) throws IOException {
        HttpURLConnection connection =
                open("GET", "/jobs/" + segment(id) + "/events", new byte[0], "text/event-stream");
        connection.setReadTimeout(SILENCE_MILLIS);
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK
                || !String.valueOf(connection.getContentType()).startsWith("text/event-stream")) {
            connection.disconnect();
            throw new IOException("no events here");
        }
        return new EventStream(connection.getInputStream());
    }

    /** A name as one step of a path. */
    static String segment(String name) {
        return URLEncoder.encode(name, UTF_8).replace("+", "%20");
    }

    private JsonObject call(String method, String path, @Nullable Object body, Map<?, ?> request) {
        byte[] bytes = body == null ? new byte[0] : Json.write(body).getBytes(UTF_8);
        try {
            return answer(open(method, path, bytes, "application/json"), request);
        } catch (ConnectException | UnknownHostException e) {
            throw CliException.unreachable(
                    "cannot reach Millrace at %s (%s). Is it running? --endpoint-url or".formatted(endpoint, reason(e))
                            + " MILLRACE_ENDPOINT_URL names another.");
        } catch (SSLException e) {
            throw CliException.unreachable("no TLS with %s: %s".formatted(endpoint, PlainText.of(reason(e))));
        } catch (IOException e) {
            throw CliException.unreachable("the connection to %s broke before the answer (%s).%s"
                    .formatted(endpoint, PlainText.of(reason(e)), afterwards(method)));
        }
    }

    private HttpURLConnection open(String method, String path, byte[] body, String accept) throws IOException {
        URI uri = URI.create(endpoint + "/api/v1" + path);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(CONNECTING_MILLIS);
        connection.setReadTimeout(ANSWERING_MILLIS);
        connection.setRequestProperty("Accept", accept);
        connection.setRequestProperty("User-Agent", "millrace");
        new RequestSigner(credentials.accessKey(), credentials.secretKey(), "us-east-1")
                .sign(uri, method, Map.of(), new PayloadForm.Sha256(Sha256.hex(body)), Instant.now())
                .forEach(connection::setRequestProperty);
        if (body.length > 0) {
            connection.setRequestProperty("Content-Type", "application/json");
            connection.setDoOutput(true);
            connection.getOutputStream().write(body);
        }
        return connection;
    }

    private JsonObject answer(HttpURLConnection connection, Map<?, ?> request) throws IOException {
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
            throw type.contains("json") ? Problem.of(status, object(text), credentials, request) : stranger(status);
        }
        return object(text);
    }

    private JsonObject object(String text) {
        try {
            return Json.readObject(text);
        } catch (IllegalArgumentException e) {
            throw CliException.unreachable(
                    "%s answered something that cannot be read: %s".formatted(endpoint, e.getMessage()));
        }
    }

    private CliException stranger(int status) {
        return CliException.unreachable(
                ("%s does not answer as Millrace's control port does (status %d). --endpoint-url is that"
                                + " port (9081 unless the file says otherwise), not the one of S3.")
                        .formatted(endpoint, status));
    }

    private static String body(Optional<InputStream> stream) throws IOException {
        if (stream.isEmpty()) {
            return "";
        }
        try (InputStream in = stream.get()) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("the answer is too long");
            }
            return new String(bytes, UTF_8);
        }
    }

    private static String afterwards(String method) {
        return method.equals("GET") ? "" : " It may have been heeded: 'millrace jobs list' tells.";
    }

    private static String reason(IOException e) {
        if (e instanceof UnknownHostException) {
            return "no such host";
        }
        if (e instanceof SocketTimeoutException) {
            return "it takes too long";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static String query(Map<String, String> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.entrySet().stream()
                        .map(parameter -> parameter.getKey() + '=' + segment(parameter.getValue()))
                        .collect(Collectors.joining("&", "?", ""));
    }
}
