package io.millrace.backend.hub;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Reads documents of the Hub's API as objects, so that they are cached as files are. The key is the path below {@code
 * /api/} with its query, percent-encoded; that of {@code paths-info} is sent as a form. A list in several pages is one
 * document. What concerns Xet is left out.
 */
final class HubDocumentReader implements ObjectReader {
    /** The bucket of the documents. */
    static final BucketName BUCKET = new BucketName("api");

    /** The largest accepted document: a tree of some 200,000 files. */
    private static final int MAX_BYTES = 64 << 20;
    /** Larger buffers would be more than readers may have in memory. */
    private static final int PIECE = 64 << 10;

    private static final Pattern KEY = Pattern.compile(
            "(?:models|datasets|spaces)(?:/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})++){2,6}" + "(?:\\?[A-Za-z0-9._~%=&-]+)?");

    /** The key of a document about the paths in its query, for which the Hub takes a POST. */
    private static final Pattern PATHS = Pattern.compile("[^/]+(?:/[^/?]+){1,2}/paths-info/[^/?]+\\?.*");

    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    /** Components of the decoded path that servers resolve. */
    private static final Pattern DOTS = Pattern.compile("(^|[/\\\\])\\.\\.?([/\\\\]|$)");

    private final HubClient client;
    private final Credentials operator;
    private final WebRequestExceptionMapper failures;
    private final DocumentMemoryBudget memory;
    private final PatientRequests<DocumentKey, Document> requests;

    /** A document and who asks for it; readers who ask for the same share one response. */
    private record DocumentKey(String key, String identity) {}

    /** A document as it is sent. */
    private static final class Document {
        private final byte[] bytes;
        private final ETag tag;
        private final HeaderList headers;
        private final DocumentMemoryBudget.Shared reserved;

        Document(List<byte[]> pages, DocumentMemoryBudget memory) {
            bytes = HubJsonReader.withoutXet(pages);
            reserved = memory.share(bytes.length);
            tag = ETag.strong(Credentials.sha256(bytes));
            headers = describe(bytes);
        }

        int length() {
            return bytes.length;
        }
    }

    /**
     * @param memory the bound that the documents share
     * @param patience how long a reader waits for a document of many pages
     */
    HubDocumentReader(
            HubClient client,
            Credentials operator,
            WebRequestExceptionMapper failures,
            DocumentMemoryBudget memory,
            Duration patience) {
        this.client = client;
        this.operator = operator;
        this.failures = failures;
        this.memory = memory;
        this.requests = new PatientRequests<>(patience, Document::length, MAX_BYTES);
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return open(request).map(content -> {
            content.discard();
            return new HeadResult(content.head(), content.range());
        });
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.defer(() -> {
                    Credentials credentials = operator.orOwnOf(request);
                    DocumentKey wanted = new DocumentKey(request.object().key().value(), credentials.identity());
                    return requests.join(wanted, "the document", () -> document(wanted.key(), credentials));
                })
                .map(document -> content(request, document))
                .onErrorMap(failure -> failures.map("GET " + request.object(), failure));
    }

    private Mono<Document> document(String key, Credentials credentials) {
        String path = KEY.matcher(key).matches()
                ? URLDecoder.decode(key.replaceFirst("\\?.*", ""), StandardCharsets.UTF_8)
                : "";
        if (path.isEmpty() || DOTS.matcher(path).find()) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "no path of the Hub's API for repositories");
        }
        return Mono.using(
                memory::begin,
                reserved -> pages(key, credentials, reserved)
                        .map(BufferedResponse::bytes)
                        .collectList()
                        // A large one takes longer than an event loop may.
                        .publishOn(Schedulers.parallel())
                        .map(pages -> new Document(pages, memory)),
                DocumentMemoryBudget.Reservation::release);
    }

    private Flux<BufferedResponse> pages(
            String key, Credentials credentials, DocumentMemoryBudget.Reservation reserved) {
        return PATHS.matcher(key).matches()
                ? client.post(client.api(key), credentials, MAX_BYTES, "the document", reserved)
                        .flux()
                : new PagedDocument(client, credentials, MAX_BYTES, reserved).pages(client.api(key));
    }

    private ObjectContent content(ReadRequest request, Document document) {
        Optional<ETag> tag = Optional.of(document.tag);
        ObjectVersion version = ObjectVersion.ofETag(tag, document.length(), Optional.empty());
        HeadResult selected =
                ReadDecision.of(request, new ObjectHead(version, tag, Optional.empty(), document.headers));
        int first = selected.range().map(ByteRange::first).orElse(0L).intValue();
        int end = first + (int) selected.length();
        document.reserved.join();
        return new ObjectContent(
                selected.head(),
                selected.range(),
                pieces(document.bytes, first, end).doFinally(done -> document.reserved.leave()));
    }

    /** Tells the commit that the description of a revision names, so that a HEAD of it resolves a branch. */
    private static HeaderList describe(byte[] document) {
        HeaderList type = HeaderList.EMPTY.with("content-type", "application/json; charset=utf-8");
        Optional<String> commit = document.length > 0 && document[0] == '{'
                ? Optional.ofNullable(HubJsonReader.ofObject(document).get("sha"))
                : Optional.empty();
        return commit.filter(text -> COMMIT.matcher(text).matches())
                .map(text -> type.with(FileResponseHead.COMMIT, text))
                .orElse(type);
    }

    private static Flux<ByteBuf> pieces(byte[] document, int first, int end) {
        return Flux.generate(() -> first, (at, sink) -> {
            int length = Math.min(PIECE, end - at);
            if (length == 0) {
                sink.complete();
            } else {
                sink.next(Unpooled.wrappedBuffer(document, at, length));
            }
            return at + length;
        });
    }
}
