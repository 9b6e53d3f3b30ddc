package io.millrace.gateway.write;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.RequestHeaders;
import java.util.List;
import java.util.Optional;

/** The preconditions of a write, as its request says them. */
public final class WriteConditions {
    private WriteConditions() {}

    /**
     * The one condition of a request.
     *
     * @throws S3Exception NotImplemented for a condition that S3 has not on writes, or two that contradict each other
     */
    public static WriteCondition of(RequestHeaders headers) {
        refuse(headers, "if-modified-since");
        refuse(headers, "if-unmodified-since");
        Optional<String> match = single(headers, "if-match");
        Optional<String> noneMatch = single(headers, "if-none-match");
        if (match.isPresent() && noneMatch.isPresent()) {
            throw notImplemented("if-none-match");
        }
        if (match.isPresent()) {
            return match.get().equals("*")
                    ? new WriteCondition.Exists()
                    : new WriteCondition.Matches(ETag.parse(match.get()));
        }
        if (noneMatch.isPresent()) {
            return noneMatch.get().equals("*")
                    ? new WriteCondition.Absent()
                    : new WriteCondition.Differs(ETag.parse(noneMatch.get()));
        }
        return WriteCondition.ALWAYS;
    }

    private static Optional<String> single(RequestHeaders headers, String name) {
        List<String> values = headers.all(name);
        if (values.size() > 1) {
            throw notImplemented(name);
        }
        return values.stream().map(String::strip).findFirst();
    }

    private static void refuse(RequestHeaders headers, String name) {
        if (!headers.all(name).isEmpty()) {
            throw notImplemented(name);
        }
    }

    private static S3Exception notImplemented(String header) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "A header you provided implies functionality that is not implemented")
                .with("Header", header);
    }
}
