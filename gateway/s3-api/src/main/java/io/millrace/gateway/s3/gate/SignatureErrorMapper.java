package io.millrace.gateway.s3.gate;

import io.millrace.auth.RequestVerificationException;
import io.millrace.gateway.error.S3Exception;
import java.util.Map;

/** Maps rejected signatures to S3 errors. */
final class SignatureErrorMapper {
    private SignatureErrorMapper() {}

    static S3Exception toS3(RequestVerificationException refused) {
        S3Exception error =
                new S3Exception(refused.code().status(), refused.code().text(), String.valueOf(refused.getMessage()));
        for (Map.Entry<String, String> detail : refused.details().entrySet()) {
            error = error.with(detail.getKey(), detail.getValue());
        }
        return error;
    }
}
