package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.RawJobRequest;
import java.time.Instant;
import java.util.Optional;

/**
 * A job that pins objects, as another member of a cluster needs to know it.
 *
 * @param submitted when the pin began
 * @param request the request of the job; empty for who knows it already
 */
public record JobPin(String id, Instant submitted, Optional<RawJobRequest> request) {}
