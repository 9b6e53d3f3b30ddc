package io.millrace.gateway.s3.protocol;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.PercentDecoder;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Optional;

/**
 * The bucket, key and parameters of a request, decoded once from the raw target and the host. Policy, routing, backend
 * requests and logs all use this value, so none can decode the path in another way.
 *
 * @param path the decoded path, beginning with a slash, as SigV4 signs it
 * @param rawPath the path as received, which only SigV2 uses
 * @param query the decoded parameters, in order
 * @param virtualHost whether the bucket came from the host
 */
public record RequestTarget(
        String path,
        String rawPath,
        List<Parameter> query,
        Optional<BucketName> bucket,
        Optional<ObjectKey> key,
        boolean virtualHost) {

    /** The kind of resource that a request addresses. */
    public enum Level {
        SERVICE,
        BUCKET,
        OBJECT
    }

    public RequestTarget {
        query = List.copyOf(query);
    }

    /**
     * Parses the target of a request line.
     *
     * @param raw the target as received, one char per byte
     * @param hostBucket the bucket in the host, if any ({@link BucketHostRule})
     * @throws S3Exception (400) for an absolute or otherwise invalid target, an invalid escape, text that is not UTF-8,
     *     or an invalid bucket or key
     */
    public static RequestTarget parse(String raw, Optional<String> hostBucket) {
        if (!raw.startsWith("/")) {
            throw new S3Exception(S3ErrorCode.INVALID_URI, "The request target must begin with a slash.");
        }
        int mark = raw.indexOf('?');
        String rawPath = mark < 0 ? raw : raw.substring(0, mark);
        String path = PercentDecoder.decodePath(rawPath);
        List<Parameter> query = mark < 0 ? List.of() : PercentDecoder.decodeQuery(raw.substring(mark + 1));
        if (hostBucket.isPresent()) {
            return new RequestTarget(
                    path, rawPath, query, Optional.of(bucket(hostBucket.get())), key(path.substring(1)), true);
        }
        if (path.length() == 1) {
            return new RequestTarget(path, rawPath, query, Optional.empty(), Optional.empty(), false);
        }
        int slash = path.indexOf('/', 1);
        String name = slash < 0 ? path.substring(1) : path.substring(1, slash);
        String rest = slash < 0 ? "" : path.substring(slash + 1);
        return new RequestTarget(path, rawPath, query, Optional.of(bucket(name)), key(rest), false);
    }

    /** Returns the kind of resource that the request addresses. */
    public Level level() {
        return key.isPresent() ? Level.OBJECT : bucket.isPresent() ? Level.BUCKET : Level.SERVICE;
    }

    /** Returns the first value of a parameter: the empty text if it has no value; empty if it is absent. */
    public Optional<String> parameter(String name) {
        for (Parameter parameter : query) {
            if (parameter.name().equals(name)) {
                return Optional.of(parameter.value());
            }
        }
        return Optional.empty();
    }

    private static BucketName bucket(String name) {
        if (!BucketName.isValid(name)) {
            throw new S3Exception(S3ErrorCode.INVALID_BUCKET_NAME).with("BucketName", name);
        }
        return new BucketName(name);
    }

    private static Optional<ObjectKey> key(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ObjectKey(text));
        } catch (IllegalArgumentException tooLong) {
            // The text is valid UTF-8 and not empty, so only its length can be wrong.
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG).with("MaxSizeAllowed", "" + ObjectKey.MAX_BYTES);
        }
    }
}
