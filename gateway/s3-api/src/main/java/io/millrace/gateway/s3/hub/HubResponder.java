package io.millrace.gateway.s3.hub;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.object.ObjectReadHandler;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.server.ReceivedRequest;
import io.millrace.gateway.s3.server.RequestObservation;
import io.millrace.gateway.s3.server.Responder;
import io.millrace.kit.share.Party;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Responds to requests of the Hugging Face Hub's protocol from the cache, by commit: a branch is resolved first. A
 * request with credentials of its own is neither answered from the cache nor stored in it; the Hub decides on it.
 */
public final class HubResponder implements Responder {
    private static final String AUTHORIZATION = "authorization";

    /** The header, of S3's user metadata, with which the backend tells the commit. */
    private static final String COMMIT = "x-amz-meta-repo-commit";

    /** The tag of a file that the Hub keeps itself: its id in git. All others it keeps elsewhere. */
    private static final Pattern GIT_TAG = Pattern.compile("\"[0-9a-f]{40}\"");

    /** The tag of a file of which git has a pointer alone. */
    private static final Pattern SHA_256 = Pattern.compile("\"([0-9a-f]{64})\"");

    /** The header with which a HEAD asks for a fetch of the whole file. */
    private static final Headers FETCHED_WHOLE = new Headers(Map.of("range", List.of("bytes=0-0")));

    private static final Logger log = LoggerFactory.getLogger(HubResponder.class);

    private final HubViews views;
    private final ShownObjects shown;
    private final SameContentFiles sameContent;
    private final ObjectReadHandler reads;

    /** The headers of a request of the Hub port itself. */
    private record Headers(Map<String, List<String>> fields) implements RequestHeaders {
        @Override
        public List<String> all(String name) {
            return fields.getOrDefault(name, List.of());
        }

        @Override
        public List<String> names() {
            return List.copyOf(fields.keySet());
        }
    }

    /**
     * The headers of a client's HEAD: with a range of its own it would have the port fetch whole files for one packet
     * each.
     */
    private record RangelessHeaders(RequestHeaders of) implements RequestHeaders {
        @Override
        public List<String> all(String name) {
            return name.equals("range") ? List.of() : of.all(name);
        }

        @Override
        public List<String> names() {
            return of.names().stream().filter(name -> !name.equals("range")).toList();
        }
    }

    /**
     * @param backend of type hub
     * @param buckets those of S3 clients
     * @param savings the savings of its buckets
     */
    public HubResponder(
            HubSettings settings,
            Backend backend,
            BucketRegistry buckets,
            BucketSavingsRegistry savings,
            ObjectReadHandler reads,
            InstantSource clock) {
        this.views = new HubViews(settings.backend(), backend, savings, settings);
        this.shown = new ShownObjects(settings.backend(), buckets);
        this.sameContent = new SameContentFiles(clock);
        this.reads = reads;
    }

    /** {@inheritDoc} Whoever reaches the port may read; the Hub decides on a client's own token. */
    @Override
    public boolean isGated() {
        return false;
    }

    @Override
    public Mono<S3Response> respond(ReceivedRequest received, RequestObservation observation) {
        Optional<HubRequest> parsed = HubRequest.parse(received.rawTarget());
        observation.read(new S3Request(
                received.method(),
                shown.target(received.rawTarget(), parsed),
                received.headers(),
                received.body(),
                received.requestId(),
                received.source()));
        HubRequest request = served(received.method(), parsed);
        boolean isHead = received.method().equals("HEAD");
        observation.requested(HubOperation.of(request.what(), isHead));
        TierRequest tier = new TierRequest(
                GatewayHops.NONE, false, Party.ofNetwork(received.source().network()));
        return response(received, request, isHead).contextWrite(tier::writeTo);
    }

    private static HubRequest served(String method, Optional<HubRequest> parsed) {
        boolean isPost = method.equals("POST");
        boolean isOfPaths =
                parsed.filter(known -> known.what() == HubRequest.Subject.PATHS).isPresent();
        if ((!isPost && !method.equals("GET") && !method.equals("HEAD")) || isPost != isOfPaths) {
            throw new S3Exception(S3ErrorCode.METHOD_NOT_ALLOWED);
        }
        return parsed.orElseThrow(() -> new S3Exception(
                404, "NotFound", "Millrace serves files, trees and revisions of repositories, and nothing else."));
    }

    private Mono<S3Response> response(ReceivedRequest received, HubRequest request, boolean isHead) {
        if (request.what() == HubRequest.Subject.PATHS) {
            return PathsBody.read(received.headers(), received.body())
                    .flatMap(form -> respond(request.with(form), received.headers(), true));
        }
        return isHead
                ? respond(request, new RangelessHeaders(received.headers()), false)
                : respond(request, received.headers(), true);
    }

    private Mono<S3Response> respond(HubRequest request, RequestHeaders headers, boolean bodyWanted) {
        List<String> own = headers.all(AUTHORIZATION);
        if (own.size() > 1) {
            throw new S3Exception(S3ErrorCode.INVALID_REQUEST, "There are two Authorization headers.");
        }
        return own.isEmpty()
                ? shared(request, headers, bodyWanted)
                : readSubject(request, headers, HeaderList.EMPTY.with(AUTHORIZATION, own.get(0)), bodyWanted)
                        .onErrorMap(
                                BackendException.class,
                                failure -> HubErrors.described(request, Optional.empty(), failure));
    }

    @Override
    public S3Response failed(ReceivedRequest received, RequestObservation observation, Throwable failure) {
        S3Exception error = HubErrors.of(received.requestId(), failure);
        observation.failed(error);
        return HubErrors.response(error);
    }

    private Mono<S3Response> shared(HubRequest request, RequestHeaders headers, boolean bodyWanted) {
        if (request.what() == HubRequest.Subject.REVISION) {
            return read(request, headers, HeaderList.EMPTY, bodyWanted);
        }
        return Mono.deferContextual(context -> commit(request)
                .flatMap(commit -> readSubject(request.at(commit), headers, HeaderList.EMPTY, bodyWanted)
                        .doOnNext(response ->
                                fetchSameContent(request.at(commit), response, bodyWanted, TierRequest.from(context)))
                        .onErrorMap(
                                BackendException.class,
                                failure -> HubErrors.described(request, Optional.of(commit), failure))));
    }

    /**
     * Fetches the files that clients do not ask for, because they have read another one with the same content.
     *
     * @param asker that of the request for the file, which is charged for the others
     */
    private void fetchSameContent(HubRequest file, S3Response response, boolean isRead, TierRequest asker) {
        Optional<String> tag = response.headers().first("etag");
        boolean isFile =
                file.what() == HubRequest.Subject.FILE && (response.status() == 200 || response.status() == 206);
        if (!isFile || tag.isEmpty()) {
            return;
        }
        for (HubRequest other : sameContent.note(file, tag.get(), sizeOf(response), isRead)) {
            Runnable onFailure = () -> sameContent.noteFailure(other, tag.get());
            BucketView bucket = views.of(other);
            ObjectRef object = new ObjectRef(bucket.backendBucket(), other.key());
            Disposable unused = reads.prefetch(bucket, object, FETCHED_WHOLE, onFailure)
                    .contextWrite(asker::writeTo)
                    .subscribe(begun -> {}, failure -> {
                        log.debug("A file with the content of another one was not fetched", failure);
                        onFailure.run();
                    });
        }
    }

    /** Returns the commit of the revision, which the description of the revision tells. */
    private Mono<String> commit(HubRequest request) {
        return request.isCommit()
                ? Mono.just(request.revision())
                : read(request.description(), RequestHeaders.NONE, HeaderList.EMPTY, false)
                        .map(response -> response.headers()
                                .first("x-repo-commit")
                                .orElseThrow(() -> new BackendException(
                                        FailureKind.INVALID_RESPONSE,
                                        "the Hub did not tell the commit of a revision")));
    }

    private Mono<S3Response> readSubject(
            HubRequest request, RequestHeaders headers, HeaderList own, boolean bodyWanted) {
        if (request.what() != HubRequest.Subject.RAW_FILE) {
            return read(request, headers, own, bodyWanted);
        }
        HubRequest file = request.asFile();
        return read(file, RequestHeaders.NONE, own, false)
                .flatMap(head -> pointer(head)
                        .map(Mono::just)
                        .orElseGet(() -> bodyWanted ? read(file, headers, own, true) : Mono.just(head)));
    }

    /** Returns what git has of a large file, as git-lfs writes it; empty if git has the file itself. */
    private static Optional<S3Response> pointer(S3Response head) {
        return head.headers()
                .first("etag")
                .map(SHA_256::matcher)
                .filter(Matcher::matches)
                .map(tag -> "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n"
                        .formatted(tag.group(1), size(head)))
                .map(text -> new S3Response(
                        200,
                        head.headers().where("x-repo-commit"::equals).with("content-type", "text/plain; charset=utf-8"),
                        new S3Response.Bytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)))));
    }

    private Mono<S3Response> read(HubRequest request, RequestHeaders headers, HeaderList own, boolean bodyWanted) {
        BucketView bucket = views.of(request);
        ObjectRef object = new ObjectRef(bucket.backendBucket(), request.key());
        return reads.read(bucket, object, headers, RequestCacheControl.NONE, own, bodyWanted)
                .map(response -> response.withHeaders(described(request, response)));
    }

    /** Returns the headers as the Hub has them, without those of S3 and without Xet's. */
    private static HeaderList described(HubRequest request, S3Response response) {
        List<HeaderField> fields = new ArrayList<>();
        for (HeaderField field : response.headers().fields()) {
            if (field.name().equals(COMMIT)) {
                fields.add(new HeaderField("x-repo-commit", field.value()));
            } else if (!field.name().startsWith("x-amz-")) {
                fields.add(field);
            }
        }
        Optional<String> tag = response.headers()
                .first("etag")
                .filter(text -> !GIT_TAG.matcher(text).matches());
        if (request.what() == HubRequest.Subject.FILE && tag.isPresent()) {
            fields.add(new HeaderField("x-linked-etag", tag.get()));
            fields.add(new HeaderField("x-linked-size", size(response)));
        }
        return new HeaderList(fields);
    }

    private static long sizeOf(S3Response response) {
        try {
            return Long.parseLong(size(response));
        } catch (NumberFormatException unknown) {
            return Long.MAX_VALUE;
        }
    }

    private static String size(S3Response response) {
        return response.headers()
                .first("content-range")
                .map(range -> range.substring(range.indexOf('/') + 1))
                .orElseGet(() -> String.valueOf(response.body().length()));
    }
}
