package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.List;
import java.util.Optional;

/** Builder of the record of a GET, which was served at once with nothing in it unless a test says otherwise. */
final class RecordedGet {
    private String id = "id";
    private Optional<S3Request> request = Optional.empty();
    private boolean admitted = true;
    private Optional<RequestOperation> operation = Optional.of(S3Operation.GET_OBJECT);
    private String principal = "who";
    private String accountable = "who";
    private String method = "GET";
    private String target = "/b/k";
    private int status = 200;
    private OutcomeCategory outcome = OutcomeCategory.OK;
    private long firstByteNanos;
    private long totalNanos;
    private long bytesOut;
    private Optional<CacheResult> cache = Optional.empty();
    private boolean fastPath;
    private Optional<BucketName> bucket = Optional.empty();
    private Optional<S3Exception> error = Optional.empty();

    RecordedGet received(S3Request received, String as, String path) {
        request = Optional.of(received);
        id = as;
        target = path;
        return this;
    }

    RecordedGet admitted(boolean passed) {
        admitted = passed;
        return this;
    }

    RecordedGet by(String name) {
        principal = name;
        accountable = name;
        return this;
    }

    /** What there is of a request that is not HTTP. */
    RecordedGet malformed() {
        request = Optional.empty();
        operation = Optional.empty();
        principal = "";
        accountable = "";
        method = "-";
        target = "";
        return admitted(false);
    }

    RecordedGet operation(RequestOperation routed) {
        operation = Optional.of(routed);
        return this;
    }

    RecordedGet ended(int code, OutcomeCategory category) {
        status = code;
        outcome = category;
        return this;
    }

    RecordedGet took(long firstByte, long total) {
        firstByteNanos = firstByte;
        totalNanos = total;
        return this;
    }

    RecordedGet sent(long bytes) {
        bytesOut = bytes;
        return this;
    }

    RecordedGet cache(Optional<CacheResult> result) {
        cache = result;
        return this;
    }

    RecordedGet fastPath(boolean fast) {
        fastPath = fast;
        return this;
    }

    /** Sets who is counted for the principal. */
    RecordedGet accountable(String owner) {
        accountable = owner;
        return this;
    }

    RecordedGet bucket(Optional<BucketName> named) {
        bucket = named;
        return this;
    }

    RecordedGet error(S3Exception response) {
        error = Optional.of(response);
        return this;
    }

    RequestRecord build() {
        return new RequestRecord(
                id,
                request,
                true,
                admitted,
                operation,
                principal,
                accountable,
                "peer",
                method,
                target,
                status,
                outcome,
                firstByteNanos,
                totalNanos,
                0,
                bytesOut,
                cache,
                fastPath,
                bucket,
                List.of(),
                Optional.empty(),
                error);
    }
}
