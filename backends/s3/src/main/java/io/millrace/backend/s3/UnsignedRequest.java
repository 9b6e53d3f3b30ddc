package io.millrace.backend.s3;

import io.millrace.backend.http.BodyFramer;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * A request to the backend's S3 server before it is signed.
 *
 * @param bucket empty for a request to the server
 * @param key empty for a request to the bucket
 * @param query decoded; a parameter with an empty value is sent without {@code =} ({@code ?acl})
 * @param headers as sent; a character is the byte with that number
 * @param body in memory or streamed
 */
record UnsignedRequest(
        SdkHttpMethod method,
        Optional<BucketName> bucket,
        Optional<ObjectKey> key,
        List<QueryParameter> query,
        HeaderList headers,
        RequestPayload body) {
    /** The body of a request. */
    sealed interface RequestPayload {
        /** A body in memory, whose hash is signed; may be empty. */
        record BytesPayload(ByteBuffer bytes) implements RequestPayload {
            int length() {
                return bytes.remaining();
            }

            byte[] copy() {
                byte[] copy = new byte[bytes.remaining()];
                bytes.duplicate().get(copy);
                return copy;
            }
        }

        /** A streamed body with this framing. Its hash is not signed. */
        record StreamPayload(BodyFramer framing) implements RequestPayload {}
    }

    private static final RequestPayload NOTHING = new RequestPayload.BytesPayload(ByteBuffer.allocate(0));

    UnsignedRequest {
        query = List.copyOf(query);
    }

    static UnsignedRequest of(SdkHttpMethod method) {
        return of(method, Optional.empty(), Optional.empty());
    }

    static UnsignedRequest of(SdkHttpMethod method, BucketName bucket) {
        return of(method, Optional.of(bucket), Optional.empty());
    }

    static UnsignedRequest of(SdkHttpMethod method, ObjectRef object) {
        return of(method, Optional.of(object.bucket()), Optional.of(object.key()));
    }

    private static UnsignedRequest of(SdkHttpMethod method, Optional<BucketName> bucket, Optional<ObjectKey> key) {
        return new UnsignedRequest(method, bucket, key, List.of(), HeaderList.EMPTY, NOTHING);
    }

    /** Returns a copy with one more parameter. */
    UnsignedRequest withParameter(String name, String value) {
        List<QueryParameter> more = new ArrayList<>(query);
        more.add(new QueryParameter(name, value));
        return new UnsignedRequest(method, bucket, key, more, headers, body);
    }

    /** Returns a copy with one more parameter unless its value is empty. */
    UnsignedRequest withNonEmptyParameter(String name, String value) {
        return value.isEmpty() ? this : withParameter(name, value);
    }

    UnsignedRequest withParameter(List<QueryParameter> parameters) {
        return new UnsignedRequest(method, bucket, key, parameters, headers, body);
    }

    UnsignedRequest with(HeaderList others) {
        return new UnsignedRequest(method, bucket, key, query, others, body);
    }

    UnsignedRequest with(ByteBuffer bytes) {
        return with(new RequestPayload.BytesPayload(bytes));
    }

    /** Returns a copy with the {@code Content-MD5} of its body, which S3 requires for some requests. */
    UnsignedRequest withContentMd5() {
        ChecksumDigest md5 = HashDigest.of("MD5");
        md5.update(((RequestPayload.BytesPayload) body).bytes().duplicate());
        return with(headers.with("content-md5", md5.base64()));
    }

    UnsignedRequest with(RequestPayload other) {
        return new UnsignedRequest(method, bucket, key, query, headers, other);
    }
}
