package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.EventOrder;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;

/** Finds the objects that the events of one notification are about. For one thread. */
final class TouchedObjects {
    private final Buckets buckets;
    private final AccessPolicy policy;
    private final Principal who;
    private final Optional<String> backend;

    /** By the backend's name: a notification has many events of few buckets. */
    private final Map<String, List<BucketView>> views = new HashMap<>();

    /** @param backend that sends the notification, if that is known */
    TouchedObjects(Buckets buckets, AccessPolicy policy, Principal who, Optional<String> backend) {
        this.buckets = buckets;
        this.policy = policy;
        this.who = who;
        this.backend = backend;
    }

    /**
     * An object that an event is about, in a bucket that shows it.
     *
     * @param order empty also where the event may be about another object, whose order says nothing of this one
     */
    record Touched(BucketView bucket, ObjectRef object, Optional<EventOrder> order) {}

    /**
     * One of each backend and reading of the key: what is known there is shared by all buckets that show it. Nothing if no bucket
     * shows it.
     *
     * @throws ApiException if the caller may write it under no name
     */
    Collection<Touched> by(Notification.Event event) {
        List<BucketView> showing = views.computeIfAbsent(event.bucket(), this::showing);
        boolean isOfOneBackend =
                showing.stream().map(BucketView::backendName).distinct().count() == 1;
        Map<String, Touched> touched = new LinkedHashMap<>();
        boolean shown = false;
        for (BucketView bucket : showing) {
            for (ObjectKey key : event.keys()) {
                Optional<ObjectKey> named = shownAs(bucket, key);
                boolean ordered = isOfOneBackend && key.equals(event.keys().get(0));
                shown |= named.isPresent();
                named.filter(shownKey -> policy.allows(who, Right.WRITE, bucket.name(), Optional.of(shownKey)))
                        .ifPresent(allowed -> touched.putIfAbsent(
                                bucket.backendName() + ' ' + key,
                                new Touched(
                                        bucket,
                                        new ObjectRef(bucket.real(), key),
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
        return BucketName.isValid(bucket) ? buckets.over(backend, new BucketName(bucket)) : List.of();
    }

    private static Optional<ObjectKey> shownAs(BucketView bucket, ObjectKey key) {
        String text = key.value();
        if (!text.startsWith(bucket.prefix())
                || text.length() == bucket.prefix().length()) {
            return Optional.empty();
        }
        ObjectKey shown = new ObjectKey(bucket.outside(text));
        try {
            bucket.at(shown);
            return Optional.of(shown);
        } catch (S3Exception besideThePrefix) {
            return Optional.empty();
        }
    }
}
