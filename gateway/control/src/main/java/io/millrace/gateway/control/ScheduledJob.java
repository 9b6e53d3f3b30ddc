package io.millrace.gateway.control;

import io.millrace.config.ValueForm;
import io.millrace.gateway.jobs.JobTypes;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** The job of a schedule, as the settings have it: what the API takes as the body of a submission. */
@ValueForm(value = "the body of POST /api/v1/jobs, as keys or as JSON", mapping = true)
record ScheduledJob(RawJobRequest request) {
    /** Takes a text for a number or a truth value, since that is what single values of YAML arrive as. */
    private static final JsonMapper MAPPER = ApiJsonMapper.MAPPER
            .rebuild()
            .enable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    /**
     * Parses a request, and checks what needs no buckets.
     *
     * @throws IllegalArgumentException if it is invalid; the message names the field
     */
    public static ScheduledJob parse(String json) {
        RawJobRequest request = request(json);
        if (request.clientToken() != null) {
            throw new IllegalArgumentException("clientToken is not for schedules, which make it of their times");
        }
        try {
            JobTypes.require(request, Instant.now());
            return new ScheduledJob(request);
        } catch (InvalidJobException e) {
            throw new IllegalArgumentException(e.field() + ' ' + e.getMessage(), e);
        }
    }

    private static RawJobRequest request(String json) {
        @Nullable RawJobRequest request;
        try {
            request = MAPPER.readValue(json, RawJobRequest.class);
        } catch (JacksonException e) {
            ApiProblem problem = JsonErrorTranslator.toProblem(e);
            String subject = problem.field() == null ? "is no job:" : problem.field();
            throw new IllegalArgumentException(subject + ' ' + problem.detail(), e);
        }
        if (request == null) {
            throw new IllegalArgumentException("is no job");
        }
        return request;
    }

    /** Returns the request in JSON. */
    @Override
    public String toString() {
        return MAPPER.writeValueAsString(request);
    }
}
