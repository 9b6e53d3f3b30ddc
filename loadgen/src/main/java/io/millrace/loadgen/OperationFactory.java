package io.millrace.loadgen;

import io.millrace.loadgen.client.ByteSpan;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.PayloadSource;
import io.millrace.loadgen.client.SyntheticObject;
import io.millrace.loadgen.client.TestObject;
import io.netty.handler.codec.http.HttpMethod;
import java.util.Map;

/**
 * Creates the operations of a phase. Immutable and thread-safe.
 *
 * @param prefix prefix of the listings
 * @param rangeSize bytes that a range or tail reads
 * @param partSize bytes of a part of a multipart upload
 * @param verify whether bodies are checked
 */
record OperationFactory(String prefix, long rangeSize, long partSize, boolean verify) {
    /**
     * Creates an operation on an object.
     *
     * @param offset random number from which the offset of a range follows, 0 or more
     */
    Operation create(OperationType type, TestObject object, long offset) {
        return switch (type) {
            case GET -> whole(type, object);
            case RANGE -> object.size() == 0 ? whole(type, object) : range(object, offset);
            case TAIL -> object.size() == 0 ? whole(type, object) : tail(object);
            case HEAD -> simple(type, HttpMethod.HEAD, object.key(), "");
            case PUT -> put(contentOf(object));
            case MULTIPART -> new MultipartOperation(contentOf(object), partSize);
            case LIST -> simple(type, HttpMethod.GET, "", TestObjectLister.pageQuery(prefix, object.key()));
            case DELETE -> simple(type, HttpMethod.DELETE, object.key(), "");
        };
    }

    private Operation whole(OperationType type, TestObject object) {
        return new ReadOperation(type, object, object.size() < 0 ? null : ByteSpan.whole(object.size()), "", verify);
    }

    private Operation range(TestObject object, long offset) {
        long starts = Math.max(1, object.size() - rangeSize + 1);
        long from = offset % starts;
        ByteSpan wanted = new ByteSpan(from, from + rangeSize);
        return new ReadOperation(
                OperationType.RANGE,
                object,
                object.size() < 0 ? null : wanted.cutTo(object.size()),
                wanted.rangeHeader(),
                verify);
    }

    private Operation tail(TestObject object) {
        ByteSpan end = new ByteSpan(Math.max(0, object.size() - rangeSize), Math.max(0, object.size()));
        return new ReadOperation(
                OperationType.TAIL, object, object.size() < 0 ? null : end, "bytes=-" + rangeSize, verify);
    }

    private static Operation simple(OperationType type, HttpMethod method, String key, String query) {
        return new SingleRequestOperation(type, OutgoingRequest.of(method, key, query, Map.of()));
    }

    private static Operation put(SyntheticObject content) {
        PayloadSource body = PayloadSource.of(content, ByteSpan.whole(content.size()));
        return new SingleRequestOperation(
                OperationType.PUT, new OutgoingRequest(HttpMethod.PUT, content.key(), "", Map.of(), body));
    }

    /** An object of unknown bytes is written with those that its key determines. */
    private static SyntheticObject contentOf(TestObject object) {
        return object.content() != null
                ? object.content()
                : new SyntheticObject(object.key(), Math.max(0, object.size()));
    }
}
