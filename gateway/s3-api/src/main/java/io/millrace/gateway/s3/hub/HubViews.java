package io.millrace.gateway.s3.hub;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.AnonymousAccess;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The buckets of a Hub backend as the Hub port reads them, each with the freshness of what is in it.
 *
 * @param name the backend's name in the settings
 */
record HubViews(String name, Backend backend, BucketSavingsRegistry savings, HubSettings settings) {
    private static final BucketName DOCUMENTS = new BucketName("api");

    /** As good as for ever; in this mode a file that is missing at a commit is remembered too. */
    private static final Duration FOR_EVER = Duration.ofDays(365);

    private static final Duration MISSING = Duration.ofMinutes(10);

    /** Returns the view with which a request's object is read. */
    BucketView of(HubRequest request) {
        BucketName bucket = bucket(request);
        Freshness rule = request.isCommit() && request.isImmutable() ? Freshness.IMMUTABLE : Freshness.MOVING;
        return new BucketView(bucket, entry(bucket, rule), backend, savings.of(name, bucket));
    }

    /** Returns the backend's bucket that a request's object is in. */
    static BucketName bucket(HubRequest request) {
        return switch (request.what()) {
            case FILE, RAW_FILE -> new BucketName(request.repository().kind());
            case REVISION, TREE, PATHS -> DOCUMENTS;
        };
    }

    /** The freshness of a view: of a commit, whose files never change, or of a branch. */
    private enum Freshness {
        IMMUTABLE,
        MOVING
    }

    private BucketSettings entry(BucketName bucket, Freshness rule) {
        FreshnessSettings freshness = new FreshnessSettings(
                FreshnessSettings.Mode.TTL,
                rule == Freshness.IMMUTABLE ? FOR_EVER : settings.branchTtl(),
                rule == Freshness.IMMUTABLE ? MISSING : Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                rule == Freshness.IMMUTABLE ? FOR_EVER : settings.staleIfError());
        return new BucketSettings(
                BucketPattern.parse(bucket.value()),
                name,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "",
                AnonymousAccess.parse("none"),
                Optional.empty(),
                BucketSettings.WriteMode.INVALIDATE,
                BucketSettings.AccessPolicyMode.REFUSE,
                List.of(),
                List.of(),
                List.of(),
                freshness,
                Optional.empty(),
                // As the Hub port itself asks for files that clients do not read.
                true,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }
}
