package io.millrace.gateway.control;

import io.millrace.gateway.jobs.plan.RawJobRequest;

/** Reads the requests for jobs that tests write as clients of the API do. */
final class ApiJobRequests {
    private ApiJobRequests() {}

    /** Returns the request of a text in JSON, whose quotes may be single ones. */
    static RawJobRequest of(String json) {
        return ApiJsonMapper.MAPPER.readValue(json.replace('\'', '"'), RawJobRequest.class);
    }
}
