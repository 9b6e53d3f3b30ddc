package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectEvents;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
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

    /** An object that an event is about, in a bucket that shows it. */
    private record Touched(BucketView bucket, ObjectRef object) {}

    /** What an event touches; nothing if no bucket shows it. */
    private record Heeded(Notification.Event event, Collection<Touched> touched) {}

    private enum Outcome {
        HEEDED,
        REPEATED,
        IGNORED
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<NotificationResult> take(
            @RequestAttribute(Caller.WHO) Principal who,
            @RequestParam Optional<String> backend,
            @RequestBody JsonNode request) {
        backend.filter(name -> !buckets.hasBackend(name)).ifPresent(unknown -> {
            throw ApiException.field("backend", "is no backend of this gateway's buckets");
        });
        Notification notification = Notification.of(request);
        List<Heeded> all = new ArrayList<>();
        for (Notification.Event event : notification.events()) {
            all.add(new Heeded(event, touched(who, backend, event)));
        }
        return Flux.fromIterable(all)
                .flatMapSequential(this::heed, AT_ONCE)
                .collectList()
                .map(outcomes -> result(outcomes, notification.others()));
    }

    /** One of each backend: what is known there is shared by all buckets that show it. */
    private Collection<Touched> touched(Principal who, Optional<String> backend, Notification.Event event) {
        if (!BucketName.isValid(event.bucket())) {
            return List.of();
        }
        Map<String, Touched> touched = new LinkedHashMap<>();
        boolean shown = false;
        for (BucketView bucket : buckets.over(backend, new BucketName(event.bucket()))) {
            for (String key : event.keys()) {
                Optional<ObjectKey> named = shownAs(bucket, key, event.field());
                shown |= named.isPresent();
                named.filter(shownKey -> policy.allows(who, Right.WRITE, bucket.name(), Optional.of(shownKey)))
                        .ifPresent(allowed -> touched.putIfAbsent(
                                bucket.backendName() + ' ' + key,
                                new Touched(bucket, new ObjectRef(bucket.real(), new ObjectKey(key)))));
            }
        }
        if (shown && touched.isEmpty()) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "%s: this takes the right write on the object".formatted(event.field()));
        }
        return touched.values();
    }

    private static Optional<ObjectKey> shownAs(BucketView bucket, String key, String field) {
        if (!key.startsWith(bucket.prefix()) || key.length() == bucket.prefix().length()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ObjectKey(bucket.outside(key)));
        } catch (IllegalArgumentException e) {
            throw ApiException.field(field + ".object.key", String.valueOf(e.getMessage()));
        }
    }

    private Mono<Outcome> heed(Heeded heeded) {
        return Flux.fromIterable(heeded.touched())
                .concatMap(one -> events.heed(
                        one.bucket(),
                        one.object(),
                        heeded.event().versionId(),
                        heeded.event().order()))
                .map(news -> news ? Outcome.HEEDED : Outcome.REPEATED)
                .reduce(Outcome.IGNORED, (before, now) -> before == Outcome.HEEDED ? before : now);
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
