package io.millrace.backend.azure;

import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request to the Blob service before its authorization.
 *
 * @param container empty for a request to the account
 * @param blob empty for a request to the container
 * @param headers without length, date and version
 * @param body sent if the request is not an upload; may be empty
 */
record BlobRequest(
        String method,
        Optional<BucketName> container,
        Optional<ObjectKey> blob,
        List<QueryParameter> query,
        List<HeaderField> headers,
        ByteBuffer body) {
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;
    private static final int PARTIAL = 206;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    BlobRequest {
        query = List.copyOf(query);
        headers = List.copyOf(headers);
    }

    /** Returns a request to the account. */
    static BlobRequest toAccount(String method) {
        return new BlobRequest(method, Optional.empty(), Optional.empty(), List.of(), List.of(), NOTHING);
    }

    /** Returns a request to a container. */
    static BlobRequest to(String method, BucketName container) {
        return new BlobRequest(method, Optional.of(container), Optional.empty(), List.of(), List.of(), NOTHING)
                .with("restype", "container");
    }

    /** Returns a request to a blob. */
    static BlobRequest to(String method, ObjectRef blob) {
        return new BlobRequest(
                method, Optional.of(blob.bucket()), Optional.of(blob.key()), List.of(), List.of(), NOTHING);
    }

    /** Returns a copy with one more query parameter. */
    BlobRequest with(String parameter, String value) {
        List<QueryParameter> more = new ArrayList<>(query);
        more.add(new QueryParameter(parameter, value));
        return new BlobRequest(method, container, blob, more, headers, body);
    }

    /** Returns a copy with one more query parameter unless its value is empty. */
    BlobRequest withNonEmpty(String parameter, String value) {
        return value.isEmpty() ? this : with(parameter, value);
    }

    /** Returns a copy with one more header. */
    BlobRequest withHeader(String name, String value) {
        return withHeaders(List.of(new HeaderField(name, value)));
    }

    BlobRequest withHeaders(HeaderList more) {
        return withHeaders(more.fields());
    }

    BlobRequest withHeaders(List<HeaderField> more) {
        List<HeaderField> all = new ArrayList<>(headers);
        all.addAll(more);
        return new BlobRequest(method, container, blob, query, all, body);
    }

    BlobRequest withBody(ByteBuffer bytes) {
        return new BlobRequest(method, container, blob, query, headers, bytes);
    }

    /** Returns whether the service acknowledges this request with a status: it has one for each kind of request. */
    boolean isSuccess(int status) {
        return switch (method) {
            case "PUT" -> status == (isCopy() ? ACCEPTED : CREATED);
            case "DELETE" -> status == ACCEPTED;
            default -> status == OK || status == PARTIAL;
        };
    }

    private boolean isCopy() {
        return headers.stream().anyMatch(field -> field.name().equals("x-ms-copy-source"));
    }
}
