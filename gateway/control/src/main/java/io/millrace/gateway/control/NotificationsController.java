package io.millrace.gateway.control;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.control.EventObjectResolver.AffectedObject;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.ObjectEventHandler;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/**
 * Serves {@code /api/v1/notifications}: receives event notifications of a backend's buckets, and makes the cached
 * metadata of the objects they name stale. The caller needs the right to write each object, in any bucket that contains
 * it. A notification is applied as a whole or not at all.
 */
@RestController
@RequestMapping(NotificationsController.PATH)
record NotificationsController(Supplier<BucketRegistry> buckets, Authorizer authorizer, ObjectEventHandler events) {
    static final String PATH = "/api/v1/notifications";

    private static final Logger log = LoggerFactory.getLogger(NotificationsController.class);

    /** Events applied at a time; each may wait for a disk. */
    private static final int AT_ONCE = 32;

    /** An event and the objects that it makes stale; none if no bucket contains them. */
    private record ResolvedEvent(EventNotification.Event event, Collection<AffectedObject> objects) {}

    private enum Outcome {
        APPLIED,
        REPEATED,
        IGNORED
    }

    /** Accepts a notification. SNS sends its JSON as plain text. */
    @PostMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, MediaType.TEXT_PLAIN_VALUE})
    Mono<NotificationResult> receive(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestParam Optional<String> backend,
            @RequestParam MultiValueMap<String, String> parameters,
            @RequestBody JsonNode request) {
        return Mono.defer(() -> apply(principal, backend, parameters, request))
                .doOnError(ApiException.class, refused -> logRefusal(principal, refused));
    }

    /**
     * Logs a refused notification: its sender may drop the response, and then nobody knows that stale objects are
     * served.
     */
    private static void logRefusal(Principal principal, ApiException refused) {
        log.warn(
                "A notification from '{}' was refused ({}), so what it reports may be served stale until its ttl ends:"
                        + " {}",
                principal.name(),
                refused.problem().status(),
                refused.problem().detail());
    }

    private Mono<NotificationResult> apply(
            Principal principal, Optional<String> backend, MultiValueMap<String, String> parameters, JsonNode request) {
        requireValid(parameters.keySet());
        BucketRegistry now = buckets.get();
        backend.filter(name -> !now.hasBackend(name)).ifPresent(unknown -> {
            throw ApiException.invalidField("backend", "is no backend of this gateway's buckets");
        });
        EventNotification notification = EventNotification.parse(request);
        EventObjectResolver touched = new EventObjectResolver(now, authorizer, principal, backend);
        // Resolves and checks all events before it applies the first.
        List<ResolvedEvent> all = notification.events().stream()
                .map(event -> new ResolvedEvent(event, touched.findAffected(event)))
                .toList();
        return Flux.fromIterable(all)
                .flatMapSequential(this::apply, AT_ONCE)
                .collectList()
                .map(outcomes -> result(outcomes, notification.others()));
    }

    /** Refuses unknown parameters: without a mistyped one, the wrong objects would become stale. */
    private static void requireValid(Set<String> parameters) {
        parameters.stream().filter(name -> !name.equals("backend")).findFirst().ifPresent(unknown -> {
            throw ApiException.invalidField(
                    unknown, "is no parameter of a notification: there is backend, and no other");
        });
    }

    /**
     * Applies an event to each of its objects. It counts as repeated if any object has seen it; without an order it
     * never does.
     */
    private Mono<Outcome> apply(ResolvedEvent resolved) {
        return Flux.fromIterable(resolved.objects())
                .concatMap(one -> events.handle(
                        one.bucket(), one.object(), resolved.event().versionId(), one.order()))
                .onErrorMap(IOException.class, InvalidationsController::notDurable)
                .map(news -> news ? Outcome.APPLIED : Outcome.REPEATED)
                .reduce(Outcome.IGNORED, (before, now) -> before == Outcome.REPEATED ? before : now);
    }

    private static NotificationResult result(List<Outcome> outcomes, int others) {
        return new NotificationResult(
                count(outcomes, Outcome.APPLIED),
                count(outcomes, Outcome.REPEATED),
                count(outcomes, Outcome.IGNORED) + others);
    }

    private static int count(List<Outcome> outcomes, Outcome outcome) {
        return (int) outcomes.stream().filter(outcome::equals).count();
    }
}
