package io.millrace.backend.web;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.UnsatisfiableRangeErrors;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/** Reads objects of a web server by GET and HEAD. */
final class WebObjectReader implements ObjectReader {
    private static final Pattern SIZE_OF_416 = Pattern.compile("bytes \\*/([0-9]{1,18})", Pattern.CASE_INSENSITIVE);
    private static final int NOT_ALLOWED = 405;
    private static final int NOT_IMPLEMENTED = 501;

    private final WebClient client;
    private final UrlLayout layout;
    private final WebRequestExceptionMapper failures;
    private final RangeIgnoringObjects rangeIgnoringObjects = new RangeIgnoringObjects();

    WebObjectReader(WebClient client, UrlLayout layout, WebRequestExceptionMapper failures) {
        this.client = client;
        this.layout = layout;
        this.failures = failures;
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return UnsatisfiableRangeErrors.completed(plainHead(request), request, this::plainHead);
    }

    private Mono<HeadResult> plainHead(ReadRequest request) {
        return Mono.defer(() -> {
                    WebUrl url = url(request.object());
                    SendableReadRequest sent = SendableReadRequest.of(request);
                    return client.send("HEAD", url, new HeaderList(sent.conditions()))
                            .flatMap(response -> isUnsupported(response)
                                    ? headByGet(request, url, sent, response)
                                    : response.body().drain().then(accepted(request, url, sent, response, false)));
                })
                .onErrorMap(failure -> failures.map("HEAD " + request.object(), failure));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        String name = "GET " + request.object();
        return Mono.defer(() -> {
                    WebUrl url = url(request.object());
                    SendableReadRequest sent = SendableReadRequest.of(request);
                    boolean ranged = request.selection() instanceof ByteSelection.RangeSelection;
                    return client.send("GET", url, withRange(sent))
                            .flatMap(response -> accepted(request, url, sent, response, ranged)
                                    .map(head -> LengthCheckedBody.contentOf(
                                            head, response, cause -> failures.mapBodyFailure(name, cause)))
                                    .doOnError(unfit -> response.body().discard()));
                })
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> failures.map(name, failure))
                .transform(opened -> UnsatisfiableRangeErrors.completed(opened, request, this::plainHead));
    }

    private WebUrl url(ObjectRef object) {
        return layout.object(object)
                .orElseThrow(() ->
                        new BackendException(FailureKind.NO_SUCH_KEY, "a web server has no object of such a name"));
    }

    /** Gets the headers of an object where a HEAD does not tell them; the body is not read. */
    private Mono<HeadResult> headByGet(
            ReadRequest request, WebUrl url, SendableReadRequest sent, StreamingResponse unsupported) {
        return unsupported
                .body()
                .drain()
                .then(client.send("GET", url, new HeaderList(sent.conditions())))
                .flatMap(response -> accepted(request, url, sent, response, false)
                        .doFinally(end -> response.body().discard()));
    }

    /** Returns whether a HEAD told nothing. Apache sends no length of an empty file. */
    private static boolean isUnsupported(StreamingResponse response) {
        return response.status() == NOT_ALLOWED
                || response.status() == NOT_IMPLEMENTED
                || (response.status() == CheckedReadResponse.OK
                        && !response.headers().contains("content-length"));
    }

    /** Checks a response; its body is untouched if this succeeds. */
    private Mono<HeadResult> accepted(
            ReadRequest request, WebUrl url, SendableReadRequest sent, StreamingResponse response, boolean ranged) {
        HeaderList fields = new HeaderList(response.fields());
        return switch (response.status()) {
            case CheckedReadResponse.OK, CheckedReadResponse.PARTIAL ->
                Mono.fromCallable(() -> {
                    CheckedReadResponse read = new CheckedReadResponse(
                            request, response.status(), fields, ranged, rangeIgnoringObjects.contains(url));
                    HeadResult result = read.validate();
                    if (read.isMoreThanRequested(result)) {
                        rangeIgnoringObjects.add(url);
                    }
                    return result;
                });
            case 304 -> Mono.error(notModified(sent, fields));
            case 412 -> Mono.error(new BackendException(sent.conditionFailed(), "412"));
            case 416 -> Mono.error(invalidRange(sent, fields));
            default -> client.refused(response);
        };
    }

    private static HeaderList withRange(SendableReadRequest sent) {
        HeaderList conditions = new HeaderList(sent.conditions());
        return sent.range().map(range -> conditions.with("range", range)).orElse(conditions);
    }

    private static BackendException notModified(SendableReadRequest sent, HeaderList fields) {
        if (!sent.sendsIfNoneMatchOrModifiedSince()) {
            return WebClient.ERRORS.failure(304, fields);
        }
        HeaderList reported = ObjectResponseHead.of(304, fields.fields()).errorHeaders();
        Optional<String> tag =
                sent.ifNoneMatch().filter(own -> reported.first("etag").isEmpty());
        return new BackendException(FailureKind.NOT_MODIFIED, "not modified")
                .withHeaders(tag.map(own -> reported.with("etag", own)).orElse(reported));
    }

    private static BackendException invalidRange(SendableReadRequest sent, HeaderList fields) {
        if (sent.invalidRange() == FailureKind.VERSION_CHANGED) {
            return new BackendException(FailureKind.VERSION_CHANGED, "416 for a range of the required version");
        }
        if (sent.invalidRange() != FailureKind.INVALID_RANGE) {
            return WebClient.ERRORS.failure(416, fields);
        }
        BackendException failure = new BackendException(FailureKind.INVALID_RANGE, "416");
        Matcher size =
                SIZE_OF_416.matcher(fields.first("content-range").orElse("").strip());
        return size.matches() ? failure.withObjectSize(Long.parseLong(size.group(1))) : failure;
    }
}
