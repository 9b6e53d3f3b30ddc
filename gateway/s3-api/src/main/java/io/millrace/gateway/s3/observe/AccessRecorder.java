package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Records all requests in the access log.
 *
 * @param backendOf returns the name of the backend that a request is for
 */
public record AccessRecorder(AccessLog log, InstantSource clock, Function<RequestRecord, Optional<String>> backendOf)
        implements RequestRecorder {
    /** @param backendOf returns the name of a bucket's backend */
    public AccessRecorder(AccessLog log, Function<BucketName, Optional<String>> backendOf, InstantSource clock) {
        this(log, clock, request -> request.bucket().flatMap(backendOf));
    }

    /** Returns a recorder of requests for a single backend, whichever bucket shows what they ask for. */
    public static AccessRecorder ofBackend(AccessLog log, String backend, InstantSource clock) {
        return new AccessRecorder(log, clock, request -> request.operation().map(served -> backend));
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        Optional<S3Request> received = request.request();
        log.record(new AccessLogEntry(
                clock.instant(),
                request.requestId(),
                request.peer(),
                received.map(sent -> sent.source().isSecure() ? "https" : "http"),
                Optional.of(request.principal()).filter(name -> !name.isEmpty()),
                request.operation().map(RequestOperation::wireName),
                request.method(),
                Optional.of(request.target()).filter(path -> !path.isEmpty()),
                request.status(),
                request.outcome().wireName(),
                request.error().map(S3Exception::code),
                request.cache().map(CacheResult::wireName),
                backendOf.apply(request),
                request.bucket()
                        .or(() -> received.flatMap(sent -> sent.target().bucket()))
                        .map(BucketName::value),
                received.flatMap(sent -> sent.headers().first("range")),
                request.bytesIn(),
                request.bytesOut(),
                request.firstByteNanos() < 0 ? OptionalLong.empty() : OptionalLong.of(request.firstByteNanos() / 1000),
                request.totalNanos() / 1000,
                items(request, BatchTally::items),
                items(request, AccessRecorder::failed),
                received.flatMap(sent -> sent.headers().first("user-agent"))));
    }

    private static OptionalInt items(RequestRecord request, ToIntFunction<BatchTally> count) {
        return request.batch().stream().mapToInt(count).findFirst();
    }

    private static int failed(BatchTally batch) {
        return batch.count(BatchTally.Outcome.ABSENT, BatchTally.Outcome.DENIED, BatchTally.Outcome.FAILED);
    }
}
