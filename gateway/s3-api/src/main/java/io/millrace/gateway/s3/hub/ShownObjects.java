package io.millrace.gateway.s3.hub;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.protocol.RequestTarget;
import java.util.List;
import java.util.Optional;

/**
 * The objects of a Hub backend as S3 clients name them. Under these names meters, logs and the console have them, so
 * that they are never mistaken for those of another backend's bucket called {@code models}.
 *
 * @param backend the backend's name in the settings
 */
record ShownObjects(String backend, BucketRegistry buckets) {
    /**
     * Returns the target of a request at the Hub port: its path as it was received, and the object in the first bucket
     * that shows it. If none does, there is the key at the backend and no bucket.
     *
     * @param request empty for what is not served
     */
    RequestTarget target(String rawTarget, Optional<HubRequest> request) {
        int mark = rawTarget.indexOf('?');
        String path = mark < 0 ? rawTarget : rawTarget.substring(0, mark);
        Optional<String> key = request.flatMap(ShownObjects::key);
        Optional<BucketView> shown = key.flatMap(known -> view(HubViews.bucket(request.orElseThrow()), known));
        int hidden = shown.map(view -> view.prefix().length()).orElse(0);
        return new RequestTarget(
                path,
                path,
                List.of(),
                shown.map(BucketView::name),
                key.map(text -> new ObjectKey(text.substring(hidden))),
                false);
    }

    /** Returns the key of a request; empty if no object has one so long, which its response will say. */
    private static Optional<String> key(HubRequest request) {
        try {
            return Optional.of(request.key().value());
        } catch (S3Exception tooLong) {
            return Optional.empty();
        }
    }

    private Optional<BucketView> view(BucketName real, String key) {
        return buckets.viewsOf(Optional.of(backend), real).stream()
                .filter(view -> key.startsWith(view.prefix())
                        && key.length() > view.prefix().length())
                .findFirst();
    }
}
