package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.control.TouchedObjects.Touched;
import io.millrace.gateway.freshness.ObjectEvents;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
 * Takes event notifications of backends: what they say was changed is asked for again. As an invalidation of each object, it takes
 * the right to write it, by the name of any bucket that shows it. All or none of a notification is heeded.
 */
@RestController
@RequestMapping(NotificationsController.PATH)
final class NotificationsController {
    static final String PATH = "/api/v1/notifications";

    private static final Logger log = LoggerFactory.getLogger(NotificationsController.class);

    /** Each may wait for a disk. */
    private static final int AT_ONCE = 32;

    private final Buckets buckets;
    private final AccessPolicy policy;
    private final ObjectEvents events;

    NotificationsController(Buckets buckets, AccessPolicy policy, ObjectEvents events) {
        this.buckets = buckets;
        this.policy = policy;
        this.events = events;
    }

    /** What an event touches; nothing if no bucket shows it. */
    private record Told(Notification.Event event, Collection<Touched> touched) {}

    private enum Outcome {
        HEEDED,
        REPEATED,
        IGNORED
    }

    /** SNS says that its JSON is plain text. */
    @PostMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, MediaType.TEXT_PLAIN_VALUE})
    Mono<NotificationResult> take(
            @RequestAttribute(Caller.WHO) Principal who,
            @RequestParam Optional<String> backend,
            @RequestParam MultiValueMap<String, String> parameters,
            @RequestBody JsonNode request) {
        return Mono.defer(() -> heed(who, backend, parameters, request))
                .doOnError(ApiException.class, refused -> tell(who, refused));
    }

    /** Its sender may drop the answer, and then nobody knows that what was changed is served on. */
    private static void tell(Principal who, ApiException refused) {
        log.warn(
                "A notification of '{}' is refused ({}): {}",
                who.name(),
                refused.problem().status(),
                refused.problem().detail());
    }

    private Mono<NotificationResult> heed(
            Principal who, Optional<String> backend, MultiValueMap<String, String> parameters, JsonNode request) {
        requireKnown(parameters.keySet());
        backend.filter(name -> !buckets.hasBackend(name)).ifPresent(unknown -> {
            throw ApiException.field("backend", "is no backend of this gateway's buckets");
        });
        Notification notification = Notification.of(request);
        TouchedObjects touched = new TouchedObjects(buckets, policy, who, backend);
        // Before any is heeded: all or none.
        List<Told> all = notification.events().stream()
                .map(event -> new Told(event, touched.by(event)))
                .toList();
        return Flux.fromIterable(all)
                .flatMapSequential(this::heed, AT_ONCE)
                .collectList()
                .map(outcomes -> result(outcomes, notification.others()));
    }

    /** Without the one that was mistyped, more or less would be touched than its sender means. */
    private static void requireKnown(Set<String> parameters) {
        parameters.stream().filter(name -> !name.equals("backend")).findFirst().ifPresent(unknown -> {
            throw ApiException.field(unknown, "is no parameter of a notification: there is backend, and no other");
        });
    }

    /** What is heeded without an order is news each time, and says nothing of whether the event is. */
    private Mono<Outcome> heed(Told told) {
        return Flux.fromIterable(told.touched())
                .concatMap(one ->
                        events.heed(one.bucket(), one.object(), told.event().versionId(), one.order()))
                .onErrorMap(IOException.class, InvalidationsController::unkept)
                .map(news -> news ? Outcome.HEEDED : Outcome.REPEATED)
                .reduce(Outcome.IGNORED, (before, now) -> before == Outcome.REPEATED ? before : now);
    }

    private static NotificationResult result(List<Outcome> outcomes, int others) {
        return new NotificationResult(
                count(outcomes, Outcome.HEEDED),
                count(outcomes, Outcome.REPEATED),
                count(outcomes, Outcome.IGNORED) + others);
    }

    private static int count(List<Outcome> outcomes, Outcome which) {
        return (int) outcomes.stream().filter(which::equals).count();
    }
}
