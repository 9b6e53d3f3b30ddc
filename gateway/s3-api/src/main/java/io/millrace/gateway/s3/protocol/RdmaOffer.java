package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.Set;

/**
 * The offer of a client to move an object's bytes by RDMA, past HTTP, made by a token in a field. A read ignores it and
 * returns the bytes in its body. A write must be refused: it has no body, and would store an object of 0 bytes over a
 * good one.
 */
public final class RdmaOffer {
    /** The fields that hold the token, the second for clients whose SDK lets them add metadata only. */
    static final Set<String> FIELDS = Set.of("x-amz-rdma-token", "x-amz-meta-rdma-token");

    /** The header that tells the client to send the bytes in a body, and its value. */
    private static final HeaderList REPLY = HeaderList.EMPTY.with("x-amz-rdma-reply", "501");

    private RdmaOffer() {}

    /** Returns whether a field, whose name is in lower case, holds a token. */
    public static boolean isIn(String name) {
        return FIELDS.contains(name);
    }

    /**
     * Refuses a write that offers RDMA in a header or a parameter.
     *
     * @throws S3Exception NotImplemented, with the header that such clients look for
     */
    public static void refuseWrite(S3Request request) {
        if (request.isRead() || request.method().equals("OPTIONS")) {
            return;
        }
        for (String name : FIELDS) {
            if (request.amzField(name).isPresent()) {
                throw refusal(name);
            }
        }
    }

    /**
     * Refuses a form that offers RDMA in one of its fields.
     *
     * @param names in lower case
     * @throws S3Exception as {@link #refuseWrite}
     */
    public static void refuseForm(Set<String> names) {
        for (String name : FIELDS) {
            if (names.contains(name)) {
                throw refusal(name);
            }
        }
    }

    private static S3Exception refusal(String name) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED, "Writes by RDMA are not implemented: send the bytes in the body.")
                .with("Header", name)
                .withHeaders(REPLY);
    }
}
