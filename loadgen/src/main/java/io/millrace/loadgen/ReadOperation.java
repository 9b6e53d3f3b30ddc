package io.millrace.loadgen;

import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.ByteSpan;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.TestObject;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** GetObject of an object or of a part of it, with a check of the length and of the bytes. */
final class ReadOperation extends Operation {
    private final TestObject object;
    private final @Nullable ByteSpan range;
    private final String rangeHeader;
    private final boolean verify;
    private BodyVerifier check = BodyVerifier.NONE;

    /**
     * @param range expected bytes; null if the object's size is unknown
     * @param rangeHeader value of the Range header; empty for all of the object
     */
    ReadOperation(OperationType type, TestObject object, @Nullable ByteSpan range, String rangeHeader, boolean verify) {
        super(type, object.key());
        this.object = object;
        this.range = range;
        this.rangeHeader = rangeHeader;
        this.verify = verify;
    }

    @Override
    void send(S3Connection connection) {
        Map<String, String> headers = rangeHeader.isEmpty() ? checksumMode() : Map.of("range", rangeHeader);
        connection.send(OutgoingRequest.of(HttpMethod.GET, object.key(), "", headers), this);
    }

    private Map<String, String> checksumMode() {
        return verify && object.content() == null ? Map.of("x-amz-checksum-mode", "ENABLED") : Map.of();
    }

    @Override
    void receiveHeaders(HttpResponse response) {
        if (verify && object.content() != null) {
            check = new SyntheticContentCheck(object.content(), range == null ? 0 : range.from());
        } else if (verify && rangeHeader.isEmpty()) {
            check = DigestCheck.of(response.headers());
        }
    }

    @Override
    void receive(ByteBuf body) {
        check.update(body);
        bytes += body.readableBytes();
    }

    @Override
    void finish() {
        long expected = range != null ? range.length() : TestObject.UNKNOWN_SIZE;
        if (!check.isRight()) {
            end(Outcome.WRONG, "wrong bytes");
        } else if (expected >= 0 && bytes != expected) {
            end(Outcome.WRONG, "another length than the object's");
        } else {
            end(Outcome.RIGHT, "");
        }
    }
}
