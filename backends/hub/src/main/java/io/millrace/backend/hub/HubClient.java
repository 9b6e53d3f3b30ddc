package io.millrace.backend.hub;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.RedirectRule;
import io.millrace.backend.http.RedirectingClient;
import io.millrace.backend.http.ResponseDescription;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.HeaderList;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import reactor.core.publisher.Mono;

/** The client of one Hub. Follows redirects within the bounds of the settings. Thread-safe. */
final class HubClient {
    /** The largest body of an error that is read, so that its connection can be used again. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    /** Long enough that reads of what is missing cost few requests, short enough to notice a new token soon. */
    private static final Duration TOKEN_REMEMBERED = Duration.ofSeconds(30);

    private static final Duration TOKEN_TIMEOUT = Duration.ofSeconds(5);

    /** The status when nobody has answered. */
    private static final int SILENCE = 0;

    private final RedirectingClient client;
    private final WebUrl root;

    /** The status of a list of one repository with the operator's token; sent again after a while alone. */
    private final Mono<Integer> statusOfAList;

    /** Creates a client without opening a connection. */
    HubClient(String name, HubBackendSettings settings) {
        client = new RedirectingClient(settings.redirects(name));
        String path = settings.url().path();
        root = settings.url().withPath(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
        Credentials operator = Credentials.ofOperator(settings.token());
        statusOfAList = Mono.defer(() -> get(list(RepositoryKind.MODELS.text()), operator))
                .doOnNext(response -> response.body().discard())
                .map(StreamingResponse::status)
                .timeout(TOKEN_TIMEOUT)
                .onErrorReturn(SILENCE)
                .cache(TOKEN_REMEMBERED);
    }

    /** Returns the URL of the Hub. */
    WebUrl root() {
        return root;
    }

    /**
     * Returns the URL of an API request.
     *
     * @param path below {@code /api/}, percent-encoded, with its query
     */
    WebUrl api(String path) {
        int query = path.indexOf('?');
        WebUrl url = root.withPath(root.path() + "/api/" + (query < 0 ? path : path.substring(0, query)));
        return query < 0
                ? url
                : new WebUrl(url.scheme(), url.host(), url.port(), url.path(), Optional.of(path.substring(query + 1)));
    }

    /**
     * Asks for a file. Completes when the headers have arrived; the body must be read or discarded.
     *
     * @param path percent-encoded, begins with a slash
     * @param range empty for the whole file
     */
    Mono<FileResponse> file(String method, String path, Optional<String> range, Credentials credentials) {
        return Mono.defer(() -> {
            LinkedFile.Collector linked = new LinkedFile.Collector(client::isOwnServer, method.equals("HEAD"));
            HeaderList headers =
                    range.map(text -> HeaderList.EMPTY.with("range", text)).orElse(HeaderList.EMPTY);
            return client.send(method, root.withPath(root.path() + path), headers, credentials.authorization(), linked)
                    // Only the Hub says why there is no file; it may have another scheme or name than in the settings.
                    .map(response -> new FileResponse(
                            response,
                            linked.found(),
                            linked.isAtHub() || response.headers().contains(HubErrorMapper.ERROR_CODE)));
        });
    }

    /**
     * Gets a document of the Hub with its whole body; fails if the status is not 200.
     *
     * @param maxBytes the largest accepted body
     * @param what names the document in messages
     * @param reserved counts the body as it comes; the caller releases it
     */
    Mono<BufferedResponse> fetch(
            WebUrl url, Credentials credentials, int maxBytes, String what, DocumentMemoryBudget.Reservation reserved) {
        return Mono.defer(() -> {
            IntConsumer received = reserved.page();
            return get(url, credentials)
                    .flatMap(response -> response.status() == 200
                            ? BufferedResponse.of(response, maxBytes, what, received)
                            : refused(response, credentials));
        });
    }

    /**
     * Gets a document as {@link #fetch} does, by a POST with the query of the URL as a form.
     *
     * @param reserved counts the body as it comes; the caller releases it
     */
    Mono<BufferedResponse> post(
            WebUrl url, Credentials credentials, int maxBytes, String what, DocumentMemoryBudget.Reservation reserved) {
        return Mono.defer(() -> {
            IntConsumer received = reserved.page();
            WebUrl place = new WebUrl(url.scheme(), url.host(), url.port(), url.path(), Optional.empty());
            HeaderList type = HeaderList.EMPTY.with("content-type", "application/x-www-form-urlencoded");
            ByteBuffer form = StandardCharsets.US_ASCII.encode(url.query().orElse(""));
            return client.post(place, type, form, credentials.authorization(), RedirectRule.ALWAYS)
                    .flatMap(response -> response.status() == 200
                            ? BufferedResponse.of(response, maxBytes, what, received)
                            : refused(response, credentials));
        });
    }

    /**
     * Gets a list of a single repository, to see whether the Hub answers and accepts the token, which it does not do of
     * a public list with one that it does not know; fails if the status is not 200. The Hub's own request for that,
     * {@code whoami-v2}, is for few calls, and mirrors do not have it.
     *
     * @param kind of repositories, in the plural
     * @param reserved counts the body as it comes; the caller releases it
     */
    Mono<BufferedResponse> fetchList(
            String kind, Credentials credentials, int maxBytes, DocumentMemoryBudget.Reservation reserved) {
        return Mono.defer(() -> {
            IntConsumer received = reserved.page();
            return get(list(kind), credentials)
                    .onErrorMap(BackendException.class, HubErrorMapper::ofRedirectedList)
                    .flatMap(response -> response.status() == 200
                            ? BufferedResponse.of(response, maxBytes, "a list of repositories", received)
                            : listRefused(response));
        });
    }

    private WebUrl list(String kind) {
        return api(kind + "?limit=1");
    }

    private static <T> Mono<T> listRefused(StreamingResponse response) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .map(ResponseDescription::of)
                .onErrorReturn(String.valueOf(response.status()))
                .flatMap(said ->
                        Mono.error(HubErrorMapper.ofList(response.status(), new HeaderList(response.fields()), said)));
    }

    private Mono<StreamingResponse> get(WebUrl url, Credentials credentials) {
        return client.send("GET", url, HeaderList.EMPTY, credentials.authorization(), RedirectRule.ALWAYS);
    }

    /** Returns whether a URL is of the Hub itself. */
    boolean isOwnServer(WebUrl url) {
        return client.isOwnServer(url);
    }

    /**
     * Fails with the meaning of an error response, after its body is read or discarded. Where the response does not say
     * whether the operator's token or the repository is meant, a list of a repository tells whether it takes the token.
     */
    <T> Mono<T> refused(StreamingResponse response, Credentials credentials) {
        Mono<T> refused = failed(response, (status, fields) -> HubErrorMapper.failure(status, fields, credentials));
        return HubErrorMapper.isUnclear(response.status(), new HeaderList(response.fields()), credentials)
                ? refused.onErrorResume(
                        BackendException.class,
                        failure -> statusOfAList.flatMap(
                                list -> Mono.error(HubErrorMapper.explained(failure, response.status(), list))))
                : refused;
    }

    private static <T> Mono<T> failed(
            StreamingResponse response, BiFunction<Integer, HeaderList, BackendException> failure) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .then()
                .onErrorComplete()
                .then(Mono.error(() -> failure.apply(response.status(), new HeaderList(response.fields()))));
    }

    /**
     * Fails with the meaning of an error response to a read of a file, as {@link #refused(StreamingResponse,
     * Credentials)} does.
     */
    <T> Mono<T> refused(FileResponse file, Credentials credentials) {
        return file.isOfTheHub()
                ? refused(file.response(), credentials)
                : failed(file.response(), HubErrorMapper::ofStorage);
    }

    /** Closes all connections, also those in use. */
    Mono<Void> close() {
        return client.close();
    }
}
