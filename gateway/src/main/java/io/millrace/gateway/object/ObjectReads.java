package io.millrace.gateway.object;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.http.S3Answer;
import java.util.function.BiFunction;
import reactor.core.publisher.Mono;

/** What GetObject and HeadObject have in common: from an admission to what the backend is asked. */
final class ObjectReads {
    private final Buckets buckets;

    ObjectReads(Buckets buckets) {
        this.buckets = buckets;
    }

    /**
     * Answers a read.
     *
     * @param ask opens the object, or asks for its head, and makes the answer of it
     */
    Mono<S3Answer> answer(Admission admission, BiFunction<Backend, PlannedRead, Mono<S3Answer>> ask) {
        BucketView bucket = buckets.find(admission.bucket());
        ObjectRead read = ObjectRead.of(admission, bucket);
        return decideRange(bucket.backend(), read)
                .flatMap(request -> ask.apply(bucket.backend(), new PlannedRead(request, read.overrides())))
                .onErrorMap(BackendException.class, failure -> hideAbsence(admission, failure));
    }

    /** An If-Range is decided against the head; the read is then tied to what the decision was about. */
    private static Mono<ReadRequest> decideRange(Backend backend, ObjectRead read) {
        if (read.ifRange().isEmpty()) {
            return Mono.just(read.request());
        }
        return backend.head(read.wholeRequest().onlyIf(Conditions.NONE))
                .map(found -> found.head().version().canBePinned()
                                && read.ifRange().get().holds(found.head())
                        ? read.request().pinnedTo(found.head().version())
                        : read.wholeRequest());
    }

    private static Throwable hideAbsence(Admission admission, BackendException failure) {
        boolean absent = failure.kind() == BackendException.Kind.NO_SUCH_KEY
                || failure.kind() == BackendException.Kind.NO_SUCH_VERSION
                || failure.headers().first("x-amz-delete-marker").isPresent();
        return absent && !admission.mayLearnOfAbsence() ? new S3Exception(S3ErrorCode.ACCESS_DENIED) : failure;
    }
}
