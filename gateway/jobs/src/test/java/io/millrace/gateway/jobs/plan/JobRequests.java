package io.millrace.gateway.jobs.plan;

import tools.jackson.databind.json.JsonMapper;

/** Reads the requests for jobs that tests write as their clients do. */
public final class JobRequests {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private JobRequests() {}

    /** Returns the request of a text in JSON, whose quotes may be single ones. */
    public static RawJobRequest of(String json) {
        return JSON.readValue(json.replace('\'', '"'), RawJobRequest.class);
    }
}
