package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.ListRequest;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.EncodingType;
import io.millrace.gateway.s3.protocol.NumberParameter;
import io.millrace.gateway.s3.protocol.RequestTarget;

/** The parameters that all listings of objects have in common. */
record ListingParameters(String prefix, String delimiter, int maxKeys, EncodingType encodingType) {
    /** @throws S3Exception InvalidArgument for an invalid page size or encoding */
    static ListingParameters of(RequestTarget target) {
        return new ListingParameters(
                target.parameter("prefix").orElse(""),
                target.parameter("delimiter").orElse(""),
                NumberParameter.of(target, "max-keys", ListRequest.MAX_KEYS, ListRequest.MAX_KEYS),
                EncodingType.of(target));
    }

    /** Encodes a text as the caller asks. */
    String encode(String text) {
        return encodingType.encode(text);
    }

    static S3Exception invalid(String argument, String value, String message) {
        return new S3Exception(S3ErrorCode.INVALID_ARGUMENT, message)
                .with("ArgumentName", argument)
                .with("ArgumentValue", value);
    }
}
