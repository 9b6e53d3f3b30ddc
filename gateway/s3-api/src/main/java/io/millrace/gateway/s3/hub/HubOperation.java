package io.millrace.gateway.s3.hub;

import io.millrace.gateway.s3.protocol.RequestOperation;

/** An operation of the Hub's protocol, by our name: the Hub's documentation has none. */
enum HubOperation implements RequestOperation {
    GET_FILE("HubGetFile"),
    HEAD_FILE("HubHeadFile"),
    GET_RAW_FILE("HubGetRawFile"),
    HEAD_RAW_FILE("HubHeadRawFile"),
    GET_REVISION("HubGetRevision"),
    HEAD_REVISION("HubHeadRevision"),
    GET_TREE("HubGetTree"),
    HEAD_TREE("HubHeadTree"),
    GET_PATHS("HubGetPaths");

    private final String wireName;

    HubOperation(String wireName) {
        this.wireName = wireName;
    }

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
