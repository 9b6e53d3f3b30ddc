package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.Alarm.Acknowledgement;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.JobStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/alarms}: all that needs an operator now, the weightiest first, and what operators know of
 * already.
 */
@RestController
@RequestMapping("/api/v1/alarms")
record AlarmsController(
        ControlAuthorizer callers,
        Supplier<GatewayStatus> status,
        Supplier<Mono<List<BackendStatus>>> backends,
        JobService jobs,
        AlarmAcknowledgements known,
        InstantSource clock) {
    /** The most failed jobs that are looked at. */
    private static final int MOST_JOBS = 1000;

    /**
     * The response that lists the alarms, those last that are acknowledged.
     *
     * @param well whether all is well: there is no alarm, or each is acknowledged
     */
    record AlarmPage(boolean well, List<Alarm> alarms) {
        AlarmPage {
            alarms = List.copyOf(alarms);
        }
    }

    /**
     * The request to acknowledge an alarm.
     *
     * @param since that of the alarm that was seen: one that began later has another, and is not meant
     */
    record AcknowledgementRequest(
            @Nullable String id, @Nullable Instant since) {}

    @GetMapping
    Mono<AlarmPage> alarms(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The list of alarms");
        return now(principal).map(AlarmsController::page);
    }

    @PostMapping(path = "/acknowledgements", consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<Alarm> acknowledge(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestBody AcknowledgementRequest request) {
        callers.requireOperate(principal, "The acknowledgement of an alarm");
        String id = given("id", request.id());
        Instant since = given("since", request.since());
        return now(principal).map(alarms -> acknowledged(seen(alarms, id, since), principal));
    }

    private static <T> T given(String field, @Nullable T value) {
        if (value == null) {
            throw ApiException.invalidField(
                    field, "is missing: write that of the alarm that was seen, as the list has it");
        }
        return value;
    }

    /** Returns the alarm that an operator saw; one that has the same id and began at another time is another one. */
    static Alarm seen(List<Alarm> alarms, String id, Instant since) {
        Alarm latest = alarms.stream()
                .filter(alarm -> alarm.id().equals(id))
                .findFirst()
                .orElseThrow(() -> ApiException.of(
                        HttpStatus.NOT_FOUND,
                        "There is no such alarm now: millrace alarms lists them with their ids."));
        if (!latest.since().equals(since.truncatedTo(ChronoUnit.SECONDS))) {
            throw ApiException.of(
                    HttpStatus.CONFLICT,
                    "The alarm %s that there is now began at %s, not at %s: list the alarms again."
                            .formatted(id, latest.since(), since));
        }
        return latest;
    }

    private Alarm acknowledged(Alarm alarm, Principal principal) {
        Acknowledgement word =
                new Acknowledgement(principal.name(), clock.instant().truncatedTo(ChronoUnit.SECONDS));
        known.add(alarm, word);
        return alarm.withAcknowledgement(Optional.of(word));
    }

    private Mono<List<Alarm>> now(Principal principal) {
        return backends.get().map(health -> {
            List<JobStatus> failed = jobs.list(principal, AlarmList::isFailed, Optional.empty(), MOST_JOBS);
            return AlarmList.of(status.get(), health, failed, clock.instant()).stream()
                    .map(known::marked)
                    .toList();
        });
    }

    private static AlarmPage page(List<Alarm> alarms) {
        List<Alarm> unknown =
                alarms.stream().filter(alarm -> alarm.acknowledged().isEmpty()).toList();
        Stream<Alarm> rest =
                alarms.stream().filter(alarm -> alarm.acknowledged().isPresent());
        return new AlarmPage(
                unknown.isEmpty(), Stream.concat(unknown.stream(), rest).toList());
    }
}
