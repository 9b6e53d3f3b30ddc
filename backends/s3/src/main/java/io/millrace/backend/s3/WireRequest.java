package io.millrace.backend.s3;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Forwarder.Parameter;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * A request about a bucket or an object, before it is signed.
 *
 * @param key empty if it is about the bucket
 * @param query decoded; a parameter with an empty value goes without one ({@code ?acl})
 * @param headers as they are to stand on the wire, where a character is the byte of that number
 * @param body what is behind the head
 */
record WireRequest(
        SdkHttpMethod method,
        BucketName bucket,
        Optional<ObjectKey> key,
        List<Parameter> query,
        HeaderList headers,
        Body body) {
    /** What is behind the head of a request. */
    sealed interface Body {
        /** Bytes at hand, whose hash is signed; there may be none. */
        record Bytes(ByteBuffer bytes) implements Body {
            int length() {
                return bytes.remaining();
            }

            byte[] copy() {
                byte[] copy = new byte[bytes.remaining()];
                bytes.duplicate().get(copy);
                return copy;
            }
        }

        /** Bytes that come later, in this form. Their hash is not signed. */
        record Stream(Framing framing) implements Body {}
    }

    private static final Body NOTHING = new Body.Bytes(ByteBuffer.allocate(0));

    WireRequest {
        query = List.copyOf(query);
    }

    static WireRequest of(SdkHttpMethod method, BucketName bucket) {
        return new WireRequest(method, bucket, Optional.empty(), List.of(), HeaderList.EMPTY, NOTHING);
    }

    static WireRequest of(SdkHttpMethod method, ObjectRef object) {
        return new WireRequest(
                method, object.bucket(), Optional.of(object.key()), List.of(), HeaderList.EMPTY, NOTHING);
    }

    /** The same with one parameter more. */
    WireRequest asking(String name, String value) {
        List<Parameter> more = new ArrayList<>(query);
        more.add(new Parameter(name, value));
        return new WireRequest(method, bucket, key, more, headers, body);
    }

    /** The same with one parameter more, unless it is empty. */
    WireRequest askingSome(String name, String value) {
        return value.isEmpty() ? this : asking(name, value);
    }

    WireRequest asking(List<Parameter> parameters) {
        return new WireRequest(method, bucket, key, parameters, headers, body);
    }

    WireRequest with(HeaderList others) {
        return new WireRequest(method, bucket, key, query, others, body);
    }

    WireRequest with(byte[] bytes) {
        return with(new Body.Bytes(ByteBuffer.wrap(bytes)));
    }

    WireRequest with(Body other) {
        return new WireRequest(method, bucket, key, query, headers, other);
    }
}
