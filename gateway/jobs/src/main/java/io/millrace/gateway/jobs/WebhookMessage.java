package io.millrace.gateway.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobProgress;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The message about a job that has ended. It names the places of the job, and none of its keys and URLs, whose queries
 * may be signatures.
 *
 * @param type {@code job.ended}
 * @param timestamp when the job ended
 */
record WebhookMessage(String type, Instant timestamp, EndedJob data) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .changeDefaultPropertyInclusion(values -> values.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .build();

    /** The job, in the words of the API. */
    record EndedJob(
            String id,
            String kind,
            String owner,
            String state,
            String message,
            Optional<String> clientToken,
            Optional<Place> from,
            Optional<Place> to,
            JobProgress progress,
            Instant submitted,
            Optional<Instant> started,
            Instant ended,
            long activeMillis) {}

    /** A bucket, or what is below a prefix of it. */
    record Place(@Nullable String bucket, @Nullable String prefix) {}

    static WebhookMessage of(JobStatus job, Instant now) {
        RawJobRequest request = job.request();
        RawJobRequest.From from = request.from();
        RawJobRequest.To to = request.to();
        Instant ended = job.ended().orElse(now);
        return new WebhookMessage(
                "job.ended",
                ended,
                new EndedJob(
                        job.id(),
                        String.valueOf(request.kind()).toLowerCase(Locale.ROOT),
                        job.owner(),
                        job.state().text(),
                        job.message(),
                        Optional.ofNullable(request.clientToken()),
                        from == null || from.bucket() == null
                                ? Optional.empty()
                                : Optional.of(new Place(from.bucket(), from.prefix())),
                        to == null ? Optional.empty() : Optional.of(new Place(to.bucket(), to.prefix())),
                        job.progress(),
                        job.submitted(),
                        job.begun(),
                        ended,
                        job.activeMillis()));
    }

    /** Returns what is the same in each attempt to send the message, and in that of no other. */
    String id() {
        return data.id() + '-' + timestamp.toEpochMilli();
    }

    byte[] json() {
        return JSON.writeValueAsBytes(this);
    }
}
