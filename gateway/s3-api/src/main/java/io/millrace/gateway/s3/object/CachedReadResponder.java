package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectHeaderNames;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions.ConditionOutcome;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Builds the response to a GET or HEAD from a cached object: evaluates preconditions and range, and reads the blocks.
 */
record CachedReadResponder(ObjectReadRequest read, CurrentObject.Cached cached) {
    private static final Set<String> NOT_MODIFIED_HEADERS = Set.of("etag", "last-modified", "cache-control", "expires");

    /** Returns the response to a HEAD. */
    S3Response head() {
        Selected selected = select();
        S3Response response =
                selected.plan().respond(described(), selected.range(), new S3Response.NoBody(selected.length()));
        return response.withCacheStatus(cached.status());
    }

    /** Returns the bytes that the response has; empty if it has all, and fails as the response does. */
    Optional<ByteRange> range() {
        return select().range();
    }

    /** Returns the response to a GET: known at once if its bytes are in memory, otherwise after the first are read. */
    Mono<S3Response> get() {
        Selected selected = select();
        if (selected.length() == 0) {
            return Mono.just(respond(selected, new S3Response.NoBody(0), cached.status()));
        }
        ByteRange bytes = selected.bytes();
        @Nullable ByteBuf inMemory = cached.readFromMemory(bytes);
        if (inMemory != null) {
            return Mono.just(respond(selected, new S3Response.Buffer(inMemory), cached.status()));
        }
        return read.client().onlyIfCached()
                ? cached.isFullyResident(bytes)
                        .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.SLOW_DOWN)))
                        .flatMap(here ->
                                here ? send(selected, bytes) : Mono.error(new S3Exception(S3ErrorCode.NOT_IN_CACHE)))
                : send(selected, bytes);
    }

    private Mono<S3Response> send(Selected selected, ByteRange bytes) {
        CacheStatus status = cached.status(bytes);
        return FirstBufferAwaiter.of(cached.read(bytes))
                .map(first -> respond(selected, body(first, bytes.length()), status))
                .onErrorMap(BackendException.class, status::addTo);
    }

    /**
     * Returns whether the request's conditions name another version than the cached metadata. The metadata may be
     * outdated then, although it is fresh.
     */
    boolean contradicts() {
        ReadRequest request = read.request();
        ObjectHead head = cached.head();
        ConditionOutcome outcome = request.conditions().evaluate(head.eTag(), head.lastModified());
        boolean other = outcome == ConditionOutcome.PROCEED
                && request.conditions().ifNoneMatch().isPresent();
        boolean otherRange = read.ifRange().isPresent() && !read.ifRange().get().holds(head);
        return outcome == ConditionOutcome.FAILED || other || otherRange;
    }

    /** The selected bytes of the object. */
    private record Selected(ReadResponseBuilder plan, Optional<ByteRange> range, long size) {
        long length() {
            return range.map(ByteRange::length).orElse(size);
        }

        ByteRange bytes() {
            return range.orElseGet(() -> new ByteRange(0, size - 1));
        }
    }

    private Selected select() {
        ObjectHead head = cached.head();
        switch (read.request().conditions().evaluate(head.eTag(), head.lastModified())) {
            case PROCEED -> {}
            case NOT_MODIFIED ->
                throw refusal(new BackendException(FailureKind.NOT_MODIFIED, "not modified")
                        .withHeaders(notModifiedHeaders(head)));
            case FAILED ->
                throw refusal(new BackendException(FailureKind.PRECONDITION_FAILED, "a precondition does not hold"));
        }
        boolean otherContent =
                read.ifRange().isPresent() && !read.ifRange().get().holds(head);
        ReadRequest request = otherContent ? read.wholeRequest() : read.request();
        ReadResponseBuilder plan = new ReadResponseBuilder(request, read.overrides());
        if (cached.part().isPresent()) {
            return new Selected(plan, cached.part().get().range(), head.size());
        }
        if (!(request.selection() instanceof ByteSelection.RangeSelection range)) {
            return new Selected(plan, Optional.empty(), head.size());
        }
        Optional<ByteRange> bytes = range.spec().resolve(head.size());
        if (bytes.isEmpty()) {
            String requested = "%s of %d bytes".formatted(range.spec().toHeader(), head.size());
            throw refusal(new BackendException(FailureKind.INVALID_RANGE, requested).withObjectSize(head.size()));
        }
        return new Selected(plan, bytes, head.size());
    }

    /** Returns an error that was decided on cached metadata, with its Cache-Status. */
    private BackendException refusal(BackendException reason) {
        return cached.status().addTo(reason);
    }

    private S3Response respond(Selected selected, S3Response.Body body, CacheStatus status) {
        return selected.plan().respond(described(), selected.range(), body).withCacheStatus(status);
    }

    private ObjectHead described() {
        ObjectHead whole = cached.head();
        return cached.part().map(part -> part.describe(whole)).orElse(whole);
    }

    private static S3Response.Body body(FirstBufferAwaiter first, long length) {
        ReferenceCounted whole = first.whole(length);
        return whole instanceof ByteBuf bytes
                ? new S3Response.Buffer(bytes)
                : new S3Response.CachedContent(length, first.body(), first::giveUp);
    }

    /** Returns the headers of a 304: a subset of those of a 200, without the caller's overrides. */
    private HeaderList notModifiedHeaders(ObjectHead head) {
        S3Response whole = new ReadResponseBuilder(read.request(), HeaderList.EMPTY)
                .respond(head, Optional.empty(), new S3Response.NoBody(head.size()));
        return whole.headers().where(CachedReadResponder::isNotModifiedHeader);
    }

    private static boolean isNotModifiedHeader(String name) {
        boolean ofS3 = name.startsWith("x-amz-") && !ChecksumAlgorithm.isHeader(name);
        return NOT_MODIFIED_HEADERS.contains(name) || (ofS3 && ObjectHeaderNames.contains(name));
    }
}
