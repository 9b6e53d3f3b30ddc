package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.EventSequencerValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;

/** Resolves the events of one notification to objects of configured buckets. Not thread-safe. */
final class EventObjectResolver {
    private final BucketRegistry buckets;
    private final Authorizer authorizer;
    private final Principal principal;
    private final Optional<String> backend;

    /** By the bucket's name at the backend: a notification has many events of few buckets. */
    private final Map<String, List<BucketView>> views = new HashMap<>();

    /** @param backend the backend that sent the notification, if known */
    EventObjectResolver(BucketRegistry buckets, Authorizer authorizer, Principal principal, Optional<String> backend) {
        this.buckets = buckets;
        this.authorizer = authorizer;
        this.principal = principal;
        this.backend = backend;
    }

    /**
     * An object that an event concerns, and a bucket that contains it.
     *
     * @param order also empty if the event may concern another object, because then its order says nothing of this one
     */
    record AffectedObject(BucketView bucket, ObjectRef object, Optional<EventSequencerValue> order) {}

    /**
     * Returns the objects that an event concerns, one for each backend and possible key, because all buckets that
     * contain an object share its metadata. Empty if no bucket contains it.
     *
     * @throws ApiException (403) if the caller may write the object in none of these buckets
     */
    Collection<AffectedObject> findAffected(EventNotification.Event event) {
        List<BucketView> showing = views.computeIfAbsent(event.bucket(), this::showing);
        boolean isOfOneBackend =
                showing.stream().map(BucketView::backendName).distinct().count() == 1;
        Map<String, AffectedObject> touched = new LinkedHashMap<>();
        boolean shown = false;
        for (BucketView bucket : showing) {
            for (ObjectKey key : event.keys()) {
                Optional<ObjectKey> named = shownAs(bucket, key);
                boolean ordered = isOfOneBackend && key.equals(event.keys().get(0));
                shown |= named.isPresent();
                named.filter(shownKey -> authorizer
                                .decide(principal, PolicyAction.PUT_OBJECT, AccessScope.object(bucket.name(), shownKey))
                                .isAllowed())
                        .ifPresent(allowed -> touched.putIfAbsent(
                                bucket.backendName() + ' ' + key,
                                new AffectedObject(
                                        bucket,
                                        new ObjectRef(bucket.backendBucket(), key),
                                        ordered ? event.order() : Optional.empty())));
            }
        }
        if (shown && touched.isEmpty()) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN, "%s: this takes the right write on the object".formatted(event.field()));
        }
        return touched.values();
    }

    private List<BucketView> showing(String bucket) {
        return BucketName.isValid(bucket) ? buckets.viewsOf(backend, new BucketName(bucket)) : List.of();
    }

    private static Optional<ObjectKey> shownAs(BucketView bucket, ObjectKey key) {
        String text = key.value();
        if (!text.startsWith(bucket.prefix())
                || text.length() == bucket.prefix().length()) {
            return Optional.empty();
        }
        ObjectKey shown = new ObjectKey(bucket.toClient(text));
        try {
            bucket.at(shown);
            return Optional.of(shown);
        } catch (S3Exception besideThePrefix) {
            return Optional.empty();
        }
    }
}
