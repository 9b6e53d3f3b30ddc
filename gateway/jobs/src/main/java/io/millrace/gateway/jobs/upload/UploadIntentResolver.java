package io.millrace.gateway.jobs.upload;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.gateway.jobs.store.PendingUpload;
import io.millrace.gateway.objects.write.PendingUploadCreations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The upload that an intent led to, among those of its key. S3 lets nobody mark an upload, so it is taken for the intent's only if no
 * other can be: it was not there before, has no part, because none is sent before the id is noted, and was begun after the intent and
 * before the program that noted it was gone.
 *
 * @param own the job's; empty if there is none, or it cannot be told
 * @param unclear those that may be the job's or a client's
 */
record UploadIntentResolver(Optional<MultipartUpload> own, List<ListedUpload> unclear) {
    /** As far as S3 lets the clocks of a client and a server differ. */
    private static final Duration SKEW = Duration.ofMinutes(15);

    /** As far as clocks differ that are set by NTP, and times are rounded. */
    private static final Duration ROUNDING = Duration.ofSeconds(5);

    /** Those that may be it, as far as the list tells. */
    static List<ListedUpload> candidates(PendingUpload intent, List<ListedUpload> listed) {
        List<String> others = intent.others() == null ? List.of() : intent.others();
        return listed.stream()
                .filter(upload -> !others.contains(upload.upload().uploadId()))
                .filter(upload -> Duration.between(intent.intended(), upload.initiated())
                                .abs()
                                .compareTo(SKEW)
                        <= 0)
                .toList();
    }

    /**
     * Of uploads without a part.
     *
     * @param started when this program began; an intent from before it was asked for by one that is gone
     */
    static UploadIntentResolver of(PendingUpload intent, List<ListedUpload> candidates, Instant started) {
        return intent.others() != null
                        && candidates.size() == 1
                        && isOfTheTime(intent, candidates.get(0).initiated(), started)
                ? new UploadIntentResolver(Optional.of(candidates.get(0).upload()), List.of())
                : new UploadIntentResolver(Optional.empty(), candidates);
    }

    private static boolean isOfTheTime(PendingUpload intent, Instant initiated, Instant started) {
        Instant patience = intent.intended().plus(PendingUploadCreations.PATIENCE);
        // Some servers tell whole seconds; a start takes longer than one.
        Instant before = started.minusSeconds(1);
        Instant end = intent.intended().isBefore(started) && before.isBefore(patience) ? before : patience;
        return !initiated.isBefore(intent.intended().minus(ROUNDING)) && initiated.isBefore(end);
    }
}
