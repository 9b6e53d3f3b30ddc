package io.millrace.loadgen;

import io.millrace.loadgen.Measurement.Outcome;
import io.millrace.loadgen.client.OutgoingRequest;
import io.millrace.loadgen.client.S3Connection;
import io.netty.buffer.ByteBuf;

/** An operation of one request that is right if its status is 2xx: HEAD, PUT, LIST and DELETE. */
final class SingleRequestOperation extends Operation {
    private final OutgoingRequest request;

    SingleRequestOperation(OperationType type, OutgoingRequest request) {
        super(type, request.key());
        this.request = request;
    }

    @Override
    void send(S3Connection connection) {
        connection.send(request, this);
    }

    @Override
    void receive(ByteBuf body) {
        bytes += body.readableBytes();
    }

    @Override
    void finish() {
        bytes += request.body().length();
        end(Outcome.RIGHT, "");
    }
}
