package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The errors of S3 for what fails when the head of a response may have been sent, so that its body says them. */
final class LateErrors {
    private static final Logger log = LoggerFactory.getLogger(LateErrors.class);

    private LateErrors() {}

    /** Returns the error for a failure; logs one that nobody expected. */
    static S3Exception toS3(String requestId, Throwable failure) {
        if (failure instanceof S3Exception known) {
            return known;
        }
        if (failure instanceof BackendException backend && backend.kind() != FailureKind.UNEXPECTED) {
            return BackendErrorMapper.toS3(backend);
        }
        log.error("Request {} failed unexpectedly", requestId, failure);
        return failure instanceof BackendException backend
                ? BackendErrorMapper.toS3(backend)
                : new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }
}
