package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.control.MemberCall.ExplainCall;
import io.millrace.gateway.control.MemberCall.JobCall;
import io.millrace.gateway.control.MemberCall.PinsCall;
import io.millrace.gateway.control.MemberCall.ResidencyCall;
import io.millrace.gateway.control.MemberResponse.JobPart;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;

/**
 * Serves the control calls of other members from what this one has. It knows no other member, so no call goes
 * further.
 */
public final class LocalCalls {
    private static final Logger log = LoggerFactory.getLogger(LocalCalls.class);

    /** Each may have a megabyte; who asks asks again for the rest. */
    private static final int MOST_PIN_REQUESTS = 4;

    private final String self;
    private final Supplier<BucketRegistry> buckets;
    private final LocalResidency residency;
    private final CurrentObjectFinder objects;
    private final JobService jobs;

    /** @param self the name of this member */
    LocalCalls(
            String self,
            Supplier<BucketRegistry> buckets,
            LocalResidency residency,
            CurrentObjectFinder objects,
            JobService jobs) {
        this.self = self;
        this.buckets = buckets;
        this.residency = residency;
        this.objects = objects;
        this.jobs = jobs;
    }

    /** Does what a member asks for, and returns the answer, which may be why it cannot be done. Never fails. */
    public Mono<byte[]> serve(byte[] call) {
        return Mono.defer(() -> Mono.justOrEmpty(ApiJsonMapper.MAPPER.readValue(call, MemberCall.class)))
                .flatMap(this::respond)
                .onErrorResume(failure -> Mono.just(MemberResponse.ofProblem(problem(failure))))
                .map(ApiJsonMapper.MAPPER::writeValueAsBytes);
    }

    private Mono<MemberResponse> respond(MemberCall call) {
        ResidencyCall step = call.residency();
        if (step != null) {
            return residency(step);
        }
        ExplainCall explained = call.explain();
        if (explained != null) {
            return explain(explained);
        }
        JobCall part = call.job();
        if (part != null) {
            return job(part).map(JobPart::of).map(MemberResponse::of);
        }
        PinsCall pins = call.pins();
        return pins == null
                ? Mono.just(MemberResponse.ofProblem("it is asked for nothing"))
                : jobs.pins(pins.known(), MOST_PIN_REQUESTS).map(MemberResponse::of);
    }

    private Mono<MemberResponse> residency(ResidencyCall call) {
        return residency
                .step(bucket(call.bucket()), call.prefix(), call.delimiter(), call.from())
                .map(MemberResponse::of);
    }

    private Mono<MemberResponse> explain(ExplainCall call) {
        BucketView bucket = bucket(call.bucket());
        ObjectKey key = BucketParameterValidator.key(call.key());
        return objects.previewer()
                .preview(bucket, bucket.at(key))
                .map(preview -> ExplainController.shown(preview, call.lists()))
                .map(preview -> MemberResponse.of(HomeState.of(self, preview)))
                .defaultIfEmpty(MemberResponse.ofProblem("it scans too many large objects just now"));
    }

    private BucketView bucket(String name) {
        return BucketParameterValidator.findBucket(buckets.get(), BucketParameterValidator.bucket(name));
    }

    /** Parts of evictions alone: what members need from each other, and not all that an owner may do. */
    private Mono<JobStatus> job(JobCall call) {
        Optional<RawJobRequest> request = Optional.ofNullable(call.request());
        boolean isPart = request.map(
                        asked -> ClusterJobs.isOfAll(asked) && call.token().equals(asked.clientToken()))
                .orElse(true);
        if (!isPart || !ClusterJobs.isPart(call.token())) {
            throw ApiException.of(HttpStatus.FORBIDDEN, "it does nothing for others but parts of evictions");
        }
        Principal owner = jobs.owner(call.owner())
                .orElseThrow(() ->
                        ApiException.of(HttpStatus.NOT_FOUND, "it knows no identity '%s'".formatted(call.owner())));
        if (request.isPresent()) {
            return jobs.submit(owner, request.get());
        }
        JobStatus part = jobs.submittedWith(owner, call.token())
                .orElseThrow(() -> ApiException.of(HttpStatus.NOT_FOUND, "it has no part of the job"));
        return change(owner, call, part)
                // It has ended before.
                .onErrorResume(
                        JobException.class,
                        refused ->
                                refused.kind() == JobException.Kind.CONFLICT ? Mono.just(part) : Mono.error(refused));
    }

    private Mono<JobStatus> change(Principal owner, JobCall call, JobStatus part) {
        String id = part.id();
        return switch (call.named()) {
            case PAUSE -> jobs.pause(owner, id);
            case RESUME -> jobs.resume(owner, id);
            case CANCEL -> jobs.cancel(owner, id);
            case DELETE -> jobs.delete(owner, id).thenReturn(part);
            case SUBMIT, SHOW -> Mono.just(part);
        };
    }

    private static String problem(Throwable failure) {
        if (failure instanceof JacksonException) {
            return "it is of another release, and does not know what it is asked for";
        }
        return ApiProblemMapper.toProblem(failure)
                .map(problem -> problem.field() == null
                        ? problem.detail()
                        : "%s %s".formatted(problem.field(), problem.detail()))
                .orElseGet(() -> {
                    log.warn("A call of another member failed", failure);
                    return "it failed, and its log says why";
                });
    }
}
