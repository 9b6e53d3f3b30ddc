package io.millrace.backend.gcs;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ReadResponseValidator;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads objects: their metadata through the JSON API, their bytes through the XML API, whose response has the metadata
 * too. A read of a required version is conditional on its generation.
 */
record GcsObjectReader(GcsClient client, StorageJsonApi api) implements ObjectReader {
    private static final Pattern GENERATION = Pattern.compile("[0-9]{1,19}");

    private static final int PARTIAL = 206;

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        GcsFailureContext operation = GcsFailureContext.read("HEAD", request.object());
        return check(operation, request)
                .then(api.get(request.object()))
                .flatMap(found -> placed(operation, () -> ReadDecision.of(request, found.head(request.checksums()))));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        GcsFailureContext operation = GcsFailureContext.read("GET", request.object());
        Mono<ObjectContent> content = client.open(operation, toRequest(request))
                .map(response -> content(request, operation, response))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorResume(BackendException.class, failure -> withObjectSize(request, failure));
        return check(operation, request)
                .then(needsHeadFirst(request) ? head(request).then(content) : content);
    }

    private Mono<Void> check(GcsFailureContext operation, ReadRequest request) {
        return placed(operation, () -> {
                    HiddenObjectPrefix.requireVisible(request.object());
                    if (request.versionId().filter(id -> !id.equals("null")).isPresent()) {
                        throw new BackendException(
                                FailureKind.UNSUPPORTED, "versions of Google Cloud Storage are not read by their ids");
                    }
                    return request;
                })
                .then();
    }

    /** Runs a decision; its failure gets the names of backend and operation. */
    private <T> Mono<T> placed(GcsFailureContext operation, Supplier<T> decision) {
        return Mono.fromSupplier(decision)
                .onErrorMap(BackendException.class, failure -> client.map(operation, failure));
    }

    /**
     * Returns whether the metadata decides before a body is opened, which would have to be cut off: for conditions that
     * may ask for a 304, and for parts, of which there is one.
     */
    private static boolean needsHeadFirst(ReadRequest request) {
        return request.conditions().ifNoneMatch().isPresent()
                || request.conditions().ifModifiedSince().isPresent()
                || (request.selection() instanceof ByteSelection.PartSelection part && part.number() > 1);
    }

    private static GcsRequest toRequest(ReadRequest request) {
        Optional<String> range = SendableReadRequest.of(request).range();
        GcsRequest all = GcsRequest.media(request.object());
        GcsRequest call = range.isPresent() ? all.withHeader("range", range.get()) : all;
        // Another validator is none of ours: the response will not match it.
        Optional<String> generation = request.requiredVersion()
                .map(ObjectVersion::validator)
                .filter(validator -> GENERATION.matcher(validator).matches());
        return generation.isPresent() ? call.withHeader("x-goog-if-generation-match", generation.get()) : call;
    }

    private ObjectContent content(ReadRequest request, GcsFailureContext operation, StreamingResponse response) {
        HeadResult selected;
        try {
            selected = validated(request, response);
        } catch (BackendException unfit) {
            response.body().discard();
            throw client.map(operation, unfit);
        }
        Flux<ByteBuf> body = LengthCheckedBody.of(
                response.body(), selected.length(), failure -> client.mapBodyFailure(operation, failure));
        return new ObjectContent(selected.head(), selected.range(), body);
    }

    private static HeadResult validated(ReadRequest request, StreamingResponse response) {
        HeaderList headers = new HeaderList(response.fields());
        ObjectResponseHead framing = ObjectResponseHead.of(response.status(), headers.fields());
        long size = framing.contentRange()
                .map(ObjectResponseHead.ContentRange::size)
                .orElseGet(() -> framing.contentLength().orElse(0));
        if (response.status() == PARTIAL && framing.contentLength().orElse(-1) == 0) {
            throw new BackendException(FailureKind.INVALID_RANGE, "a range without a byte");
        }
        ObjectDescription object = ObjectDescriptionReader.xml(headers, size);
        ReadDecision.requireVersion(request, object.version());
        ObjectHead head = object.head(true);
        ObjectResponseHead translated = new ObjectResponseHead(
                response.status(),
                head.eTag(),
                head.lastModified(),
                framing.contentLength(),
                framing.contentRange(),
                head.headers(),
                ReadDecision.notModifiedHeaders(head));
        HeadResult result = new ReadResponseValidator(withoutVersion(request), translated, false).validate();
        return new HeadResult(head.withHeaders(result.head().headers()), result.range());
    }

    /** The validator would compare the required version with the ETag, and ask for version ids. */
    private static ReadRequest withoutVersion(ReadRequest request) {
        return new ReadRequest(
                request.object(),
                request.selection(),
                request.conditions(),
                Optional.empty(),
                Optional.empty(),
                request.checksums(),
                request.headers());
    }

    /** Completes an INVALID_RANGE failure, which must contain the size and comes after version and preconditions. */
    private <T> Mono<T> withObjectSize(ReadRequest request, BackendException failure) {
        return failure.kind() == FailureKind.INVALID_RANGE
                ? head(request)
                        .flatMap(found ->
                                Mono.error(failure.withObjectSize(found.head().size())))
                : Mono.error(failure);
    }
}
