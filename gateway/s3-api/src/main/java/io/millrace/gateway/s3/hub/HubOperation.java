package io.millrace.gateway.s3.hub;

import io.millrace.gateway.s3.protocol.RequestOperation;

/** An operation of the Hub's protocol, by our name: the Hub's documentation has none. */
enum HubOperation implements RequestOperation {
    GET_FILE,
    HEAD_FILE,
    GET_RAW_FILE,
    HEAD_RAW_FILE,
    GET_REVISION,
    HEAD_REVISION,
    GET_TREE,
    HEAD_TREE,
    GET_PATHS;

    private final String wireName = "Hub" + RequestOperation.inCapitals(name());

    /** @param isHead whether the metadata alone is asked for */
    static HubOperation of(HubRequest.Subject subject, boolean isHead) {
        return switch (subject) {
            case FILE -> isHead ? HEAD_FILE : GET_FILE;
            case RAW_FILE -> isHead ? HEAD_RAW_FILE : GET_RAW_FILE;
            case REVISION -> isHead ? HEAD_REVISION : GET_REVISION;
            case TREE -> isHead ? HEAD_TREE : GET_TREE;
            case PATHS -> GET_PATHS;
        };
    }

    @Override
    public String wireName() {
        return wireName;
    }

    @Override
    public boolean isGetOfObject() {
        return this == GET_FILE;
    }
}
