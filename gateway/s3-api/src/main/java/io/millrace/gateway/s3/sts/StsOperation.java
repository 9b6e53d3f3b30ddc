package io.millrace.gateway.s3.sts;

import io.millrace.gateway.s3.protocol.RequestOperation;
import java.util.Optional;
import java.util.stream.Stream;

/** An operation of STS that is served here, by STS's name. */
enum StsOperation implements RequestOperation {
    ASSUME_ROLE_WITH_WEB_IDENTITY,
    ASSUME_ROLE,
    GET_SESSION_TOKEN,
    GET_CALLER_IDENTITY;

    private final String wireName = RequestOperation.inCapitals(name());

    static Optional<StsOperation> find(String name) {
        return Stream.of(values()).filter(one -> one.wireName.equals(name)).findFirst();
    }

    @Override
    public String wireName() {
        return wireName;
    }
}
