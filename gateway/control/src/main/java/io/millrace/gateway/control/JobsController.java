package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.MemberCall.JobAction;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobState;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/jobs}: submits, shows, controls and deletes jobs.
 *
 * @param all sums up the jobs that all members do
 */
@RestController
@RequestMapping(JobsController.PATH)
record JobsController(JobService jobs, ClusterJobs all) {
    static final String PATH = "/api/v1/jobs";

    private static final int MAX_PAGE_SIZE = 1000;

    /** Word for all states that change without a request. */
    private static final String ACTIVE = "active";

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<ResponseEntity<JobView>> submit(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestBody RawJobRequest request) {
        return jobs.submitOnce(principal, request)
                .flatMap(submission -> all.sum(submission.job(), JobAction.SUBMIT, JobView::of)
                        .map(job -> submission.isNew() ? created(job) : ResponseEntity.ok(job)));
    }

    @GetMapping
    JobPage list(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam(defaultValue = "") String state,
            @RequestParam Optional<String> before,
            @RequestParam(defaultValue = "50") int limit) {
        int most = pageSize(limit);
        return JobPage.of(
                jobs.list(principal, states(state), before, most + 1).stream()
                        .map(JobView::listed)
                        .toList(),
                most);
    }

    @GetMapping("/{id}")
    Mono<JobView> get(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @PathVariable String id,
            @RequestParam(defaultValue = "false") boolean brief) {
        return all.sum(jobs.get(principal, id), JobAction.SHOW, brief ? JobView::brief : JobView::of);
    }

    @GetMapping("/{id}/failures")
    Mono<FailurePage> failures(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @PathVariable String id,
            @RequestParam(defaultValue = "0") int after,
            @RequestParam(defaultValue = "1000") int limit) {
        int most = pageSize(limit);
        if (after < 0) {
            throw ApiException.invalidField("after", "is 0 or more");
        }
        return jobs.failures(principal, id).map(all -> FailurePage.of(all, after, most));
    }

    @PostMapping("/{id}/pause")
    Mono<JobView> pause(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal, @PathVariable String id) {
        return all.change(jobs.get(principal, id), jobs.pause(principal, id), JobAction.PAUSE);
    }

    @PostMapping("/{id}/resume")
    Mono<JobView> resume(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal, @PathVariable String id) {
        return all.change(jobs.get(principal, id), jobs.resume(principal, id), JobAction.RESUME);
    }

    @PostMapping("/{id}/cancel")
    Mono<JobView> cancel(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal, @PathVariable String id) {
        return all.change(jobs.get(principal, id), jobs.cancel(principal, id), JobAction.CANCEL);
    }

    @PostMapping("/{id}/retry")
    Mono<ResponseEntity<JobView>> retry(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal, @PathVariable String id) {
        JobStatus job = jobs.get(principal, id);
        if (job.state().isActive()) {
            throw ApiException.of(HttpStatus.CONFLICT, "job %s is at work: wait for its end".formatted(id));
        }
        if (job.progress().failed() == 0) {
            throw ApiException.of(HttpStatus.CONFLICT, "nothing failed in job %s".formatted(id));
        }
        return jobs.submit(principal, job.request().ofFailures(id)).map(retry -> created(JobView.of(retry)));
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal, @PathVariable String id) {
        return all.delete(jobs.get(principal, id), jobs.delete(principal, id));
    }

    /** Returns which states a list of them, or of {@code active}, means; all if it is empty. */
    private static Predicate<JobState> states(String list) {
        if (list.isEmpty()) {
            return state -> true;
        }
        EnumSet<JobState> wanted = EnumSet.noneOf(JobState.class);
        for (String word : list.split(",", -1)) {
            List<JobState> meant = Arrays.stream(JobState.values())
                    .filter(state -> word.equals(ACTIVE) ? state.isActive() : word.equals(state.text()))
                    .toList();
            if (meant.isEmpty()) {
                throw ApiException.invalidField("state", "has no state '%s'".formatted(word));
            }
            wanted.addAll(meant);
        }
        return wanted::contains;
    }

    private static int pageSize(int limit) {
        if (limit < 1 || limit > MAX_PAGE_SIZE) {
            throw ApiException.invalidField("limit", "is 1 to " + MAX_PAGE_SIZE);
        }
        return limit;
    }

    private static ResponseEntity<JobView> created(JobView job) {
        return ResponseEntity.created(URI.create(PATH + '/' + job.id())).body(job);
    }
}
