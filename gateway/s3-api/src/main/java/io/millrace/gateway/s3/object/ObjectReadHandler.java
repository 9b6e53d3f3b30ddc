package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.async.ImmediateMono;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Serves GetObject and HeadObject through the cache, or bypasses it. */
public record ObjectReadHandler(ReadBucketFinder buckets, CurrentObjectFinder objects, HeadPrefetcher prefetches) {
    /** The request header that asks for an explanation, and the response header with it. */
    private static final String EXPLAIN = "x-millrace-explain";

    /** The response header that names the bytes that a HEAD with a range has begun to fetch into the cache. */
    private static final String PREFETCH = "x-millrace-prefetch";

    /** The number of retries after the object is replaced before the first byte is read. */
    private static final int FRESH_STARTS = 2;

    /** The details that an explanation may contain. */
    private enum Explained {
        NOTHING,
        ALL_BUT_THE_BACKEND,
        ALL
    }

    /**
     * A read in progress.
     *
     * @param onFailedPrefetch called if what a HEAD has fetched into the cache cannot be fetched
     */
    private record Step(
            BucketView bucket,
            ObjectReadRequest read,
            boolean bodyWanted,
            Explained explained,
            Runnable onFailedPrefetch) {
        Step {
            // The date of what a transform makes is that of the object, whatever makes it.
            read = bucket.transform().isPresent() ? read.byTag() : read;
        }
    }

    /** Returns the response to a GET; known at once if the object is fresh and in memory. */
    Mono<S3Response> get(AuthorizedRequest authorized) {
        return response(authorized, true);
    }

    /** Returns the response to a HEAD; known at once if the metadata is fresh and in memory. */
    Mono<S3Response> head(AuthorizedRequest authorized) {
        return response(authorized, false);
    }

    /**
     * Returns the response to a read that has no request of S3 of its own, and has passed its gate.
     *
     * @param headers the range and the preconditions
     * @param client the cache directives
     * @param forTheBackend further headers; with any, the read bypasses the cache
     * @param bodyWanted whether the bytes are read, or the metadata alone
     */
    public Mono<S3Response> read(
            BucketView bucket,
            ObjectRef object,
            RequestHeaders headers,
            RequestCacheControl client,
            HeaderList forTheBackend,
            boolean bodyWanted) {
        ObjectReadRequest read = ObjectReadRequest.of(object, headers, client, forTheBackend);
        return begin(new Step(bucket, read, bodyWanted, Explained.NOTHING, () -> {}));
    }

    /**
     * Has an object fetched into the cache, with lower priority than all reads, at the expense of the request in the
     * subscriber's context. Completes as soon as that has begun.
     *
     * @param headers the range that is fetched
     * @param onFailure called if it cannot be fetched, and the returned Mono has not failed
     */
    public Mono<Void> prefetch(BucketView bucket, ObjectRef object, RequestHeaders headers, Runnable onFailure) {
        ObjectReadRequest read = ObjectReadRequest.of(object, headers, RequestCacheControl.NONE, HeaderList.EMPTY);
        return begin(new Step(bucket, read, false, Explained.NOTHING, onFailure))
                .then();
    }

    private Mono<S3Response> begin(Step step) {
        return Mono.defer(() -> begin(step, FRESH_STARTS)).map(S3Response::orBypass);
    }

    private Mono<S3Response> response(AuthorizedRequest authorized, boolean bodyWanted) {
        BucketView bucket = buckets.find(authorized);
        Step step =
                new Step(bucket, ObjectReadRequest.of(authorized, bucket), bodyWanted, explained(authorized), () -> {});
        Mono<S3Response> response = begin(step, FRESH_STARTS);
        return ImmediateMono.isKnown(response)
                ? response
                : response.onErrorMap(BackendException.class, authorized::hideMissingKey);
    }

    /** Anonymous callers do not learn the name of the backend. */
    private static Explained explained(AuthorizedRequest authorized) {
        if (authorized.request().headers().first(EXPLAIN).isEmpty()) {
            return Explained.NOTHING;
        }
        return authorized.principal().isAnonymous() ? Explained.ALL_BUT_THE_BACKEND : Explained.ALL;
    }

    private Mono<S3Response> begin(Step step, int freshStarts) {
        if (!step.read().request().headers().fields().isEmpty()
                || step.read().client().noStore()) {
            return explained(step, new CurrentObject.Bypass(Optional.empty()), passThrough(step));
        }
        boolean plain = step.read().ifRange().isEmpty();
        Mono<CurrentObject> found =
                objects.find(step.bucket(), step.read().request(), step.read().client(), step.bodyWanted() && plain);
        @Nullable CurrentObject known = ImmediateMono.valueOf(found);
        Mono<S3Response> response =
                known == null ? found.flatMap(current -> serve(step, current, true)) : serve(step, known, true);
        return ImmediateMono.isKnown(response)
                ? response
                : response.onErrorResume(
                        BackendException.class,
                        failure -> failure.kind() == BackendException.FailureKind.VERSION_CHANGED
                                ? again(step, freshStarts)
                                : inTheBackendsWords(step, failure));
    }

    /**
     * Retries the read. The last attempt bypasses the cache, because the object is replaced faster than it can be read
     * in two requests.
     */
    private Mono<S3Response> again(Step step, int freshStarts) {
        return freshStarts > 0
                ? begin(step, freshStarts - 1)
                : explained(step, new CurrentObject.Bypass(Optional.empty()), passThrough(step));
    }

    /**
     * Gets the exact error for an invalid version by a GET: the cache fetches metadata by HEAD, and errors of a HEAD
     * have no body.
     */
    private static Mono<S3Response> inTheBackendsWords(Step step, BackendException failure) {
        boolean ofTheVersion = step.read().request().versionId().isPresent()
                && (failure.kind() == BackendException.FailureKind.NO_SUCH_VERSION
                        || failure.kind() == BackendException.FailureKind.INVALID_REQUEST);
        return step.bodyWanted() && ofTheVersion ? passThrough(step) : Mono.error(failure);
    }

    private Mono<S3Response> explained(Step step, CurrentObject current, Mono<S3Response> response) {
        if (step.explained() == Explained.NOTHING) {
            return response;
        }
        String explanation = objects.explain(step.bucket(), step.read().request(), current);
        String how = step.explained() == Explained.ALL
                ? explanation + "; backend=" + step.bucket().backendName()
                : explanation;
        return response.map(plain -> plain.withHeaders(plain.headers().with(EXPLAIN, how)));
    }

    /**
     * Answers with the object.
     *
     * @param mayAsk whether the backend may be asked for the object if the request's conditions contradict what is
     *     known of it. What it says then counts, also if it says the same.
     */
    private Mono<S3Response> serve(Step step, CurrentObject current, boolean mayAsk) {
        if (current instanceof CurrentObject.NotCached) {
            return notInCache();
        }
        if (current instanceof CurrentObject.Bypass pass) {
            return explained(
                    step,
                    pass,
                    pass.content().isPresent()
                            ? passOn(
                                    new ReadResponseBuilder(
                                            step.read().request(), step.read().overrides()),
                                    pass.content().get())
                            : passThrough(step));
        }
        CurrentObject.Cached cached = (CurrentObject.Cached) current;
        CachedReadResponder read = new CachedReadResponder(step.read(), cached);
        boolean mayRevalidate = mayAsk
                && !cached.isForwarded()
                && !step.read().client().onlyIfCached()
                && step.bucket().freshness().mode() != Mode.IMMUTABLE;
        if (mayRevalidate && read.contradicts()) {
            return objects.revalidate(step.bucket(), step.read().request()).flatMap(now -> serve(step, now, false));
        }
        return explained(step, cached, step.bodyWanted() ? read.get() : head(step, read));
    }

    /** Returns the response to a HEAD; its subscriber starts the fetch that it asks for, if any. */
    private Mono<S3Response> head(Step step, CachedReadResponder read) {
        S3Response response = read.head();
        ReadRequest request = step.read().request();
        ObjectMetadata object = read.cached().metadata();
        boolean isAskedFor = prefetches.isAskedFor(step.bucket(), request, object)
                && !step.read().client().onlyIfCached();
        Optional<ByteRange> range = isAskedFor ? read.range() : Optional.empty();
        if (range.isEmpty()) {
            return Mono.just(response);
        }
        return Mono.deferContextual(context -> {
            String started = prefetches
                    .start(
                            step.bucket(),
                            request,
                            object,
                            range.get(),
                            TierRequest.from(context),
                            step.onFailedPrefetch())
                    .map(bytes -> "bytes=" + bytes.first() + "-" + bytes.last())
                    .orElse("busy");
            return Mono.just(response.withHeaders(response.headers().with(PREFETCH, started)));
        });
    }

    private static Mono<S3Response> notInCache() {
        return Mono.error(new S3Exception(S3ErrorCode.NOT_IN_CACHE));
    }

    private static Mono<S3Response> passThrough(Step step) {
        if (step.read().client().onlyIfCached()) {
            return notInCache();
        }
        return Mono.defer(() -> decideRange(step.bucket(), step.read()))
                .flatMap(request -> send(step, request))
                .onErrorResume(
                        BackendException.class,
                        failure -> isReplacedMeanwhile(step, failure)
                                ? send(step, step.read().wholeRequest())
                                : Mono.error(failure));
    }

    /**
     * Returns whether the object was replaced after the If-Range decision. The range does not apply to the new version,
     * so all of it is wanted.
     */
    private static boolean isReplacedMeanwhile(Step step, BackendException failure) {
        return failure.kind() == BackendException.FailureKind.VERSION_CHANGED
                && step.read().ifRange().isPresent();
    }

    private static Mono<S3Response> send(Step step, ReadRequest request) {
        ReadResponseBuilder plan = new ReadResponseBuilder(request, step.read().overrides());
        return step.bodyWanted() ? open(step.bucket(), plan) : headBackend(step.bucket(), plan);
    }

    private static Mono<S3Response> open(BucketView bucket, ReadResponseBuilder read) {
        return bucket.open(read.request())
                .map(content -> stream(read, content))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }

    private static Mono<S3Response> headBackend(BucketView bucket, ReadResponseBuilder read) {
        return bucket.head(read.request())
                .map(found -> through(
                        found.head(),
                        read.respond(found.head(), found.range(), new S3Response.NoBody(found.length()))));
    }

    /**
     * Returns a response that the cache asked for and does not take. It may not begin if its client has too many
     * streams.
     */
    private static Mono<S3Response> passOn(ReadResponseBuilder read, ObjectContent content) {
        if (content.length() == 0) {
            return Mono.just(stream(read, content));
        }
        return FirstBufferAwaiter.of(content.body().cast(ReferenceCounted.class))
                .map(first -> through(
                        content.head(),
                        read.respond(
                                content.head(),
                                content.range(),
                                new S3Response.CachedContent(content.length(), first.body(), first::giveUp))));
    }

    private static S3Response stream(ReadResponseBuilder read, ObjectContent content) {
        return through(content.head(), read.respond(content.head(), content.range(), new S3Response.Content(content)));
    }

    /** Adds the cache status of a response that bypassed this cache but came from another gateway. */
    private static S3Response through(ObjectHead head, S3Response response) {
        return head.tier().isEmpty() ? response : response.withCacheStatus(CacheStatus.BYPASS.through(head.tier()));
    }

    /** Decides If-Range on a HEAD, and ties the read to the version in it. */
    private static Mono<ReadRequest> decideRange(BucketView bucket, ObjectReadRequest read) {
        if (read.ifRange().isEmpty()) {
            return Mono.just(read.request());
        }
        return bucket.head(read.wholeRequest().withConditions(ReadConditions.NONE))
                .map(found -> found.head().version().hasStrongValidator()
                                && read.ifRange().get().holds(found.head())
                        ? read.request().requireVersion(found.head().version())
                        : read.wholeRequest());
    }
}
